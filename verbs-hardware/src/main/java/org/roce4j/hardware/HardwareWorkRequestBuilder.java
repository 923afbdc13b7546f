package org.roce4j.hardware;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.roce4j.hardware.bindings.InlineBuffers;
import org.roce4j.hardware.bindings.RequestBuilder;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.BuilderTurn;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.Wrapper;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * {@code struct ibv_qp_ex}. The driver remembers its errors. Errors that the driver would not
 * notice are remembered here, and the batch is then aborted. No call allocates, except for a list
 * of inline data.
 */
final class HardwareWorkRequestBuilder implements WorkRequestBuilder {
  private static final String FREED = "the inline data is freed or another thread's";

  private final HardwareQueuePair qp;
  private final RequestBuilder driver;

  private final BuilderTurn turn;

  private long wrId;
  private int flags;

  /** As much as the largest request had inline. */
  private MemorySegment inline = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

  /**
   * @param address of the {@code struct ibv_qp_ex}
   * @param operations of {@link SendOpsFlags}, for which the driver has functions
   */
  HardwareWorkRequestBuilder(HardwareQueuePair qp, long address, long operations) {
    this.qp = qp;
    turn = new BuilderTurn(qp.qpType(), operations);
    driver = new RequestBuilder(address);
  }

  @Override
  public QueuePair queuePair() {
    return qp;
  }

  // ---- the batch

  @Override
  public void start() {
    turn.start();
    boolean begun = false;
    try {
      qp.enter();
      driver.start();
      qp.gate.leave();
      begun = true;
    } finally {
      if (!begun) {
        turn.end();
      }
    }
  }

  @Override
  public int complete() {
    turn.check();
    try {
      qp.enter();
      try {
        finish();
      } finally {
        qp.gate.leave();
      }
      return turn.errno();
    } finally {
      turn.end();
    }
  }

  private void finish() {
    turn.finishRequest();
    if (turn.refused()) {
      driver.abort();
      return;
    }
    int errno = driver.complete();
    if (errno != 0) {
      turn.refuseBatch(errno, "the driver refuses it with errno " + errno);
    }
  }

  @Override
  public void abort() {
    turn.check();
    try {
      if (qp.gate.enter()) {
        driver.abort();
        qp.gate.leave();
      }
    } finally {
      turn.abort();
    }
  }

  @Override
  public String whyRefused() {
    return turn.describe(qp);
  }

  // ---- operations

  @Override
  public WorkRequestBuilder wrId(long value) {
    turn.check();
    wrId = value;
    return this;
  }

  @Override
  public WorkRequestBuilder flags(int value) {
    turn.check();
    flags = value;
    return this;
  }

  /**
   * Begins an operation, if the driver has a function for it.
   *
   * @return whether the queue pair is entered: the function is called, and {@link #left} follows
   */
  private boolean begins(WrOpcode operation) {
    turn.check();
    turn.finishRequest();
    if (!turn.request(operation, wrId)) {
      return false;
    }
    qp.enter();
    driver.begin(wrId, flags);
    return true;
  }

  /** Whether a destination can be said of the operation that was begun; as {@link #begins}. */
  private boolean adds() {
    turn.check();
    return turn.adds() && entered();
  }

  /** Whether data can be said of it. */
  private boolean data() {
    turn.check();
    return turn.data() && entered();
  }

  private boolean entered() {
    qp.enter();
    return true;
  }

  private WorkRequestBuilder left() {
    qp.gate.leave();
    return this;
  }

  @Override
  public WorkRequestBuilder send() {
    if (!begins(WrOpcode.SEND)) {
      return this;
    }
    driver.send();
    return left();
  }

  @Override
  public WorkRequestBuilder sendImmediate(int immediate) {
    if (!begins(WrOpcode.SEND_WITH_IMM)) {
      return this;
    }
    driver.sendImmediate(immediate);
    return left();
  }

  @Override
  public WorkRequestBuilder sendInvalidate(int rkey) {
    if (!begins(WrOpcode.SEND_WITH_INV)) {
      return this;
    }
    driver.sendInvalidate(rkey);
    return left();
  }

  @Override
  public WorkRequestBuilder rdmaWrite(int rkey, long remoteAddress) {
    if (!begins(WrOpcode.RDMA_WRITE)) {
      return this;
    }
    driver.write(rkey, remoteAddress);
    return left();
  }

  @Override
  public WorkRequestBuilder rdmaWriteImmediate(int rkey, long remoteAddress, int immediate) {
    if (!begins(WrOpcode.RDMA_WRITE_WITH_IMM)) {
      return this;
    }
    driver.writeImmediate(rkey, remoteAddress, immediate);
    return left();
  }

  @Override
  public WorkRequestBuilder rdmaRead(int rkey, long remoteAddress) {
    if (!begins(WrOpcode.RDMA_READ)) {
      return this;
    }
    driver.read(rkey, remoteAddress);
    return left();
  }

  @Override
  public WorkRequestBuilder compareAndSwap(int rkey, long remoteAddress, long compare, long swap) {
    if (!begins(WrOpcode.ATOMIC_CMP_AND_SWP)) {
      return this;
    }
    driver.compareAndSwap(rkey, remoteAddress, compare, swap);
    return left();
  }

  @Override
  public WorkRequestBuilder fetchAndAdd(int rkey, long remoteAddress, long add) {
    if (!begins(WrOpcode.ATOMIC_FETCH_AND_ADD)) {
      return this;
    }
    driver.fetchAndAdd(rkey, remoteAddress, add);
    return left();
  }

  @Override
  public WorkRequestBuilder atomicWrite(int rkey, long remoteAddress, long value) {
    if (!begins(WrOpcode.ATOMIC_WRITE)) {
      return this;
    }
    driver.atomicWrite(rkey, remoteAddress, value);
    return left();
  }

  @Override
  public WorkRequestBuilder bindMemoryWindow(
      MemoryWindow window,
      int rkey,
      MemoryRegion region,
      long address,
      long length,
      int accessFlags) {
    long mw = Wrapper.innermost(RequiredArgument.check(window, "window")).nativeHandle();
    long mr = region == null ? 0 : Wrapper.innermost(region).nativeHandle();
    if (!begins(WrOpcode.BIND_MW)) {
      return this;
    }
    driver.bind(mw, rkey, mr, address, length, accessFlags);
    return left();
  }

  @Override
  public WorkRequestBuilder localInvalidate(int rkey) {
    if (!begins(WrOpcode.LOCAL_INV)) {
      return this;
    }
    driver.localInvalidate(rkey);
    return left();
  }

  @Override
  public WorkRequestBuilder flush(
      int rkey, long remoteAddress, long length, int placement, int selectivity) {
    if (!begins(WrOpcode.FLUSH)) {
      return this;
    }
    driver.flush(rkey, remoteAddress, length, placement, selectivity);
    return left();
  }

  // ---- the data and the destination of an operation

  @Override
  public WorkRequestBuilder setSge(int lkey, long address, int length) {
    if (!data()) {
      return this;
    }
    driver.setSge(lkey, address, length);
    return left();
  }

  @Override
  public WorkRequestBuilder setSgeList(MemorySegment view, int count) {
    RequiredArgument.check(view, "view");
    turn.check();
    if (count < 0 || !view.isNative() || view.byteSize() < (long) count * SgeLayout.SIZE) {
      turn.refuse(
          count < 0 ? Errno.EINVAL : Errno.EFAULT, "the elements are not in the memory given");
    } else if (!view.scope().isAlive() || !view.isAccessibleBy(Thread.currentThread())) {
      turn.refuse(Errno.EFAULT, "the elements are freed or another thread's");
    }
    if (!data()) {
      return this;
    }
    driver.setSgeList(view, count);
    return left();
  }

  @Override
  public WorkRequestBuilder setInlineData(MemorySegment data) {
    RequiredArgument.check(data, "data");
    turn.check();
    long bytes = data.byteSize();
    try {
      MemorySegment.copy(data, 0, inlineRoom(bytes), 0, bytes);
    } catch (IllegalStateException | WrongThreadException e) {
      turn.refuse(Errno.EFAULT, FREED);
    }
    if (!data()) {
      return this;
    }
    driver.setInlineData(inline, bytes);
    return left();
  }

  /** The driver reads the program's memory, which may be in the heap, only during the call. */
  private MemorySegment inlineRoom(long bytes) {
    if (inline.byteSize() < bytes) {
      inline = Arena.ofAuto().allocate(bytes, Long.BYTES);
    }
    return inline;
  }

  @Override
  public WorkRequestBuilder setInlineDataList(List<MemorySegment> buffers) {
    RequiredArgument.check(buffers, "buffers");
    buffers.forEach(each -> RequiredArgument.check(each, "buffers"));
    turn.check();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment list = InlineBuffers.of(arena, buffers);
      if (data()) {
        driver.setInlineDataList(list, buffers.size());
        left();
      }
    } catch (IllegalStateException | WrongThreadException e) {
      turn.refuse(Errno.EFAULT, FREED);
    }
    return this;
  }

  @Override
  public WorkRequestBuilder setUdAddress(AddressHandle ah, int remoteQpn, int remoteQkey) {
    long address = Wrapper.innermost(RequiredArgument.check(ah, "ah")).nativeHandle();
    if (!adds()) {
      return this;
    }
    if (turn.address(QpType.UD)) { // other types have no such function
      driver.setUdAddress(address, remoteQpn, remoteQkey);
    }
    return left();
  }

  @Override
  public WorkRequestBuilder setXrcSrqNumber(int remoteSrqn) {
    if (!adds()) {
      return this;
    }
    if (turn.address(QpType.XRC_SEND)) {
      driver.setXrcSrqNumber(remoteSrqn);
    }
    return left();
  }

  @Override
  public String toString() {
    return "work requests of " + qp.describe();
  }
}
