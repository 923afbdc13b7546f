package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.roce4j.engine.queue.SendBatch;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.BuilderTurn;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.Wrapper;
import org.roce4j.verbs.layout.SgeLayout;

/** Builds a {@link SendBatch}; the rules are those of {@link SendPosting}. */
final class EmulatedWorkRequestBuilder implements WorkRequestBuilder {
  private static final String FREED = "memory of the request was freed, or is another thread's";

  private final EmulatedQueuePair qp;
  private final SendQueue queue;
  private final SendBatch batch;

  private final BuilderTurn turn;

  // The fields below belong to the thread whose turn it is. First those that apply to the following
  // requests.
  private long wrId;
  private int flags;

  // The request that is being built; without an operation there is none.
  private WrOpcode opcode;
  private int elements;
  private long bytes;
  private boolean inline;
  private long remote;
  private int requestFlags;
  private long requestWrId;

  /** The trace of the batch; null if requests are not traced. */
  private RequestTrace observed;

  EmulatedWorkRequestBuilder(EmulatedQueuePair qp, SendQueue queue, long operations) {
    this.qp = qp;
    turn = new BuilderTurn(qp.qpType(), operations);
    this.queue = queue;
    batch = new SendBatch(queue);
  }

  @Override
  public QueuePair queuePair() {
    return qp;
  }

  // ---- the batch

  @Override
  public void start() {
    turn.start();
    batch.clear();
    opcode = null;
    observed = qp.observed();
  }

  @Override
  public int complete() {
    turn.check();
    finishRequest();
    if (!turn.refused()) {
      post();
    }
    int errno = turn.errno();
    if (observed != null && errno == 0) {
      observed.postedBuilt();
    }
    turn.end();
    return errno;
  }

  private void post() {
    Errno errno = append();
    if (errno == Errno.ENOMEM) {
      qp.awaitRoom();
    }
    if (errno != null) {
      turn.refuseBatch(
          errno.number(),
          errno == Errno.ENOMEM
              ? "the send queue has no room for the batch: poll completions first, or ask for a"
                  + " larger max_send_wr"
              : stateWords());
    }
  }

  /** Why the queue pair accepts no send requests. */
  private String stateWords() {
    return qp.isClosed()
        ? "the queue pair was destroyed: make another, or destroy it later"
        : "in its state the queue pair takes no send requests: bring it to RTS first";
  }

  /** Appends all requests of the batch or none. Returns the reason of a refusal, or null. */
  private Errno append() {
    long end;
    queue.lock();
    try {
      if (!qp.maySend()) {
        return Errno.EINVAL;
      }
      if (!queue.append(batch)) {
        return Errno.ENOMEM;
      }
    } catch (OutOfMemoryError e) {
      return Errno.ENOMEM;
    } finally {
      end = qp.publish();
      queue.unlock();
    }
    qp.ring(end);
    return null;
  }

  @Override
  public void abort() {
    turn.check();
    turn.abort();
  }

  /** Refuses the batch; later requests are not checked. */
  private void refuse(Errno errno, String words) {
    turn.refuse(errno, words);
    opcode = null;
  }

  @Override
  public String whyRefused() {
    return turn.describe(qp);
  }

  // ---- requests

  @Override
  public WorkRequestBuilder wrId(long id) {
    turn.check();
    wrId = id;
    return this;
  }

  @Override
  public WorkRequestBuilder flags(int sendFlags) {
    turn.check();
    flags = sendFlags & ~SendFlags.INLINE;
    return this;
  }

  /** Begins a request; false if the batch is refused. */
  private boolean begin(WrOpcode operation) {
    turn.check();
    finishRequest();
    opcode = turn.request(operation, wrId) ? operation : null;
    if (opcode == null) {
      return false;
    }
    requestFlags = flags;
    elements = 0;
    bytes = 0;
    remote = 0;
    inline = false;
    if (!hasRoom()) {
      refuse(Errno.ENOMEM, "the batch is larger than the send queue: ask for more max_send_wr");
      return false;
    }
    return true;
  }

  private boolean hasRoom() {
    try {
      requestWrId = wrId;
      return batch.begin(wrId);
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Checks the complete request and adds it to the batch. */
  private void finishRequest() {
    if (opcode == null) {
      return;
    }
    // The value of an ATOMIC WRITE is always inline; max_inline_data does not limit it.
    boolean carried = opcode == WrOpcode.ATOMIC_WRITE;
    int judged = inline && !carried ? requestFlags | SendFlags.INLINE : requestFlags;
    SendRule broken = SendRule.brokenBy(qp.qpType(), queue, opcode, elements);
    if (broken == null) {
      broken = SendRule.brokenByData(qp.maxRdAtomic(), queue, opcode, judged, bytes, remote);
    }
    if (broken != null) {
      refuse(Errno.EINVAL, broken.words());
    }
    turn.finishRequest();
    if (!turn.refused()) {
      batch.add(opcode, elements, bytes, inline ? requestFlags | SendFlags.INLINE : requestFlags);
      if (observed != null) {
        observed.built(qp.qpNum(), requestWrId, opcode.name(), bytes);
      }
      opcode = null;
    }
  }

  private WorkRequestBuilder message(WrOpcode operation, int immediate) {
    if (begin(operation)) {
      batch.immediate(immediate);
    }
    return this;
  }

  private WorkRequestBuilder toRemote(
      WrOpcode operation, int rkey, long remoteAddress, int immediate) {
    message(operation, immediate);
    if (opcode != null) {
      remote = remoteAddress;
      batch.remote(remoteAddress, rkey);
    }
    return this;
  }

  @Override
  public WorkRequestBuilder send() {
    return message(WrOpcode.SEND, 0);
  }

  @Override
  public WorkRequestBuilder sendImmediate(int immediate) {
    return message(WrOpcode.SEND_WITH_IMM, immediate);
  }

  @Override
  public WorkRequestBuilder sendInvalidate(int rkey) {
    return message(WrOpcode.SEND_WITH_INV, rkey);
  }

  @Override
  public WorkRequestBuilder rdmaWrite(int rkey, long remoteAddress) {
    return toRemote(WrOpcode.RDMA_WRITE, rkey, remoteAddress, 0);
  }

  @Override
  public WorkRequestBuilder rdmaWriteImmediate(int rkey, long remoteAddress, int immediate) {
    return toRemote(WrOpcode.RDMA_WRITE_WITH_IMM, rkey, remoteAddress, immediate);
  }

  @Override
  public WorkRequestBuilder rdmaRead(int rkey, long remoteAddress) {
    return toRemote(WrOpcode.RDMA_READ, rkey, remoteAddress, 0);
  }

  @Override
  public WorkRequestBuilder compareAndSwap(int rkey, long remoteAddress, long compare, long swap) {
    toRemote(WrOpcode.ATOMIC_CMP_AND_SWP, rkey, remoteAddress, 0);
    if (opcode != null) {
      batch.operands(compare, swap);
    }
    return this;
  }

  @Override
  public WorkRequestBuilder fetchAndAdd(int rkey, long remoteAddress, long add) {
    toRemote(WrOpcode.ATOMIC_FETCH_AND_ADD, rkey, remoteAddress, 0);
    if (opcode != null) {
      batch.operands(add, 0);
    }
    return this;
  }

  @Override
  public WorkRequestBuilder atomicWrite(int rkey, long remoteAddress, long value) {
    toRemote(WrOpcode.ATOMIC_WRITE, rkey, remoteAddress, 0);
    if (opcode != null) {
      batch.inlineBytes().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
      inline = true;
      bytes = SendBatch.ATOMIC_BYTES;
    }
    return this;
  }

  @Override
  public WorkRequestBuilder bindMemoryWindow(
      MemoryWindow window,
      int rkey,
      MemoryRegion region,
      long address,
      long length,
      int accessFlags) {
    RequiredArgument.check(window, "window");
    if (!begin(WrOpcode.BIND_MW)) {
      return this;
    }
    if (!(Wrapper.innermost(window) instanceof EmulatedMemoryWindow mw)
        || mw.type() != MwType.TYPE_2
        || !SendPosting.isAlive(qp, mw)) {
      refuse(Errno.EINVAL, "the window must be of type 2, of this device and not destroyed");
    } else if (region != null
        && !(Wrapper.innermost(region) instanceof EmulatedMemoryRegion mr
            && SendPosting.isAlive(qp, mr))) {
      refuse(Errno.EINVAL, "the region must be of this device and not destroyed");
    } else {
      EmulatedMemoryRegion mr = (EmulatedMemoryRegion) Wrapper.innermost(region);
      batch.bind(mw.window(), mr == null ? null : mr.region(), rkey, address, length, accessFlags);
    }
    return this;
  }

  @Override
  public WorkRequestBuilder localInvalidate(int rkey) {
    return message(WrOpcode.LOCAL_INV, rkey);
  }

  @Override
  public WorkRequestBuilder flush(
      int rkey, long remoteAddress, long length, int placement, int selectivity) {
    toRemote(WrOpcode.FLUSH, rkey, remoteAddress, 0);
    if (opcode != null) {
      String wrong = FlushRule.broken(length, placement, selectivity);
      if (wrong == null) {
        batch.flush(length, placement, selectivity);
      } else {
        refuse(Errno.EINVAL, wrong);
      }
    }
    return this;
  }

  // ---- the data and the destination of a request

  /** Begins to set the data of a request, in {@code count} elements; false if it is refused. */
  private boolean setsData(int count) {
    turn.check();
    if (!turn.data()) {
      opcode = null;
      return false;
    }
    if (count < 0 || count > queue.maxSge()) {
      refuse(Errno.EINVAL, SendRule.ELEMENTS.words());
      return false;
    }
    elements = 0;
    bytes = 0;
    inline = false;
    return true;
  }

  @Override
  public WorkRequestBuilder setSge(int lkey, long address, int length) {
    if (setsData(1)) {
      setElement(0, lkey, address, length);
    }
    return this;
  }

  private void setElement(int index, int lkey, long address, int length) {
    batch.sge(index, address, length, lkey);
    bytes += Integer.toUnsignedLong(length);
    elements = index + 1;
  }

  @Override
  public WorkRequestBuilder setSgeList(MemorySegment view, int count) {
    RequiredArgument.check(view, "view");
    if (!setsData(count)) {
      return this;
    }
    try {
      for (int i = 0; i < count; i++) {
        long sge = (long) i * SgeLayout.SIZE;
        setElement(
            i, SgeLayout.lkey(view, sge), SgeLayout.addr(view, sge), SgeLayout.length(view, sge));
      }
    } catch (IndexOutOfBoundsException e) {
      refuse(Errno.EFAULT, "the list of elements is longer than its memory");
    } catch (IllegalStateException | WrongThreadException e) {
      refuse(Errno.EFAULT, FREED);
    }
    return this;
  }

  @Override
  public WorkRequestBuilder setInlineData(MemorySegment data) {
    RequiredArgument.check(data, "data");
    if (setsData(0)) {
      inline = true;
      addInline(data);
    }
    return this;
  }

  @Override
  public WorkRequestBuilder setInlineDataList(List<MemorySegment> buffers) {
    RequiredArgument.check(buffers, "buffers");
    if (setsData(0)) {
      inline = true;
      for (int i = 0; i < buffers.size() && opcode != null; i++) {
        addInline(RequiredArgument.check(buffers.get(i), "buffers"));
      }
    }
    return this;
  }

  private void addInline(MemorySegment data) {
    if (data.byteSize() > queue.maxInline() - bytes) {
      refuse(Errno.EINVAL, SendRule.INLINE.words());
      return;
    }
    try {
      batch.inline(data, (int) bytes);
      bytes += data.byteSize();
    } catch (IllegalStateException | WrongThreadException e) {
      refuse(Errno.EFAULT, FREED);
    }
  }

  @Override
  public WorkRequestBuilder setUdAddress(AddressHandle ah, int remoteQpn, int remoteQkey) {
    RequiredArgument.check(ah, "ah");
    turn.check();
    if (turn.adds() && turn.address(QpType.UD)) {
      destination(Wrapper.innermost(ah), remoteQpn, remoteQkey);
    }
    return this;
  }

  private void destination(AddressHandle ah, int remoteQpn, int remoteQkey) {
    if (ah instanceof EmulatedAddressHandle own
        && own.serves(qp.pd(), qp.port())
        && SendPosting.isAlive(qp, own)) {
      batch.destination(own.path(), remoteQpn & 0xffffff, remoteQkey);
    } else {
      refuse(
          Errno.EINVAL,
          qp.port() == 0
              ? stateWords()
              : "the address handle must be of the queue pair's domain and port, not destroyed");
    }
  }

  @Override
  public WorkRequestBuilder setXrcSrqNumber(int remoteSrqn) {
    turn.check();
    if (turn.adds() && turn.address(QpType.XRC_SEND)) {
      batch.remoteSrq(remoteSrqn & 0xffffff);
    }
    return this;
  }

  @Override
  public String toString() {
    return "work requests of " + qp.describe();
  }
}
