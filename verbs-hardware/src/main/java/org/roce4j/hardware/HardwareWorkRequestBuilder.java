package org.roce4j.hardware;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.roce4j.hardware.bindings.InlineBuffers;
import org.roce4j.hardware.bindings.RequestBuilder;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.Wrapper;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * {@code struct ibv_qp_ex}. The driver remembers its errors; what it cannot be asked is remembered
 * here, and then the batch is aborted.
 */
final class HardwareWorkRequestBuilder implements WorkRequestBuilder {
  private final HardwareQueuePair qp;
  private final RequestBuilder driver;
  private final long operations;

  /** The thread between {@link #start} and {@link #complete}; null: none. */
  private final AtomicReference<Thread> owner = new AtomicReference<>();

  private long wrId;
  private int flags;

  /** Whether an operation was begun, to which elements and addresses belong. */
  private boolean building;

  private Errno refused;
  private String why = "";

  /**
   * @param address of the {@code struct ibv_qp_ex}
   * @param operations of {@link SendOpsFlags}, for which the driver has functions
   */
  HardwareWorkRequestBuilder(HardwareQueuePair qp, long address, long operations) {
    this.qp = qp;
    this.operations = operations;
    driver = new RequestBuilder(address);
  }

  @Override
  public QueuePair queuePair() {
    return qp;
  }

  // ---- the batch

  @Override
  public void start() {
    Thread current = Thread.currentThread();
    if (owner.get() == current) {
      throw new VerbsException(
          Errno.EINVAL, "this thread has started a batch: complete or abort it first");
    }
    while (!owner.compareAndSet(null, current)) {
      Thread.onSpinWait();
    }
    building = false;
    refused = null;
    why = "";
    boolean begun = false;
    try {
      qp.enter();
      driver.start();
      qp.gate.leave();
      begun = true;
    } finally {
      if (!begun) {
        owner.set(null);
      }
    }
  }

  private void requireStarted() {
    if (owner.get() != Thread.currentThread()) {
      throw new VerbsException(Errno.EINVAL, "this thread builds nothing: start comes first");
    }
  }

  @Override
  public int complete() {
    requireStarted();
    try {
      qp.enter();
      try {
        return refused == null ? completed(driver.complete()) : aborted();
      } finally {
        qp.gate.leave();
      }
    } finally {
      owner.set(null);
    }
  }

  private int completed(int errno) {
    if (errno != 0) {
      why = qp.describe() + ": the driver refuses the batch with errno " + errno;
    }
    return errno;
  }

  private int aborted() {
    driver.abort();
    return refused.number();
  }

  @Override
  public void abort() {
    requireStarted();
    try {
      if (qp.gate.enter()) {
        driver.abort();
        qp.gate.leave();
      }
    } finally {
      owner.set(null);
    }
  }

  @Override
  public String whyRefused() {
    return why;
  }

  private void refuse(Errno errno, String reason) {
    if (refused == null) {
      refused = errno;
      why = qp.describe() + ": " + reason;
    }
  }

  // ---- operations

  @Override
  public WorkRequestBuilder wrId(long value) {
    requireStarted();
    wrId = value;
    return this;
  }

  @Override
  public WorkRequestBuilder flags(int value) {
    requireStarted();
    flags = value;
    return this;
  }

  /** Asks the driver for an operation, if it has a function for it. */
  private WorkRequestBuilder begin(long operation, Runnable call) {
    requireStarted();
    building = false;
    if ((operations & operation) == 0) {
      refuse(
          Errno.EOPNOTSUPP,
          "it was made without %s in sendOps".formatted(SendOpsFlags.toString(operation)));
    } else if (refused == null) {
      building = true;
      inQp(
          () -> {
            driver.begin(wrId, flags);
            call.run();
          });
    }
    return this;
  }

  /** Says more of the operation that was begun. */
  private WorkRequestBuilder add(Runnable call) {
    requireStarted();
    if (refused == null && !building) {
      refuse(Errno.EINVAL, "an operation comes before what it sends and where to");
    }
    if (refused == null) {
      inQp(call);
    }
    return this;
  }

  private void inQp(Runnable call) {
    qp.enter();
    try {
      call.run();
    } finally {
      qp.gate.leave();
    }
  }

  @Override
  public WorkRequestBuilder send() {
    return begin(SendOpsFlags.WITH_SEND, driver::send);
  }

  @Override
  public WorkRequestBuilder sendImmediate(int immediate) {
    return begin(SendOpsFlags.WITH_SEND_WITH_IMM, () -> driver.sendImmediate(immediate));
  }

  @Override
  public WorkRequestBuilder sendInvalidate(int rkey) {
    return begin(SendOpsFlags.WITH_SEND_WITH_INV, () -> driver.sendInvalidate(rkey));
  }

  @Override
  public WorkRequestBuilder rdmaWrite(int rkey, long remoteAddress) {
    return begin(SendOpsFlags.WITH_RDMA_WRITE, () -> driver.write(rkey, remoteAddress));
  }

  @Override
  public WorkRequestBuilder rdmaWriteImmediate(int rkey, long remoteAddress, int immediate) {
    return begin(
        SendOpsFlags.WITH_RDMA_WRITE_WITH_IMM,
        () -> driver.writeImmediate(rkey, remoteAddress, immediate));
  }

  @Override
  public WorkRequestBuilder rdmaRead(int rkey, long remoteAddress) {
    return begin(SendOpsFlags.WITH_RDMA_READ, () -> driver.read(rkey, remoteAddress));
  }

  @Override
  public WorkRequestBuilder compareAndSwap(int rkey, long remoteAddress, long compare, long swap) {
    return begin(
        SendOpsFlags.WITH_ATOMIC_CMP_AND_SWP,
        () -> driver.compareAndSwap(rkey, remoteAddress, compare, swap));
  }

  @Override
  public WorkRequestBuilder fetchAndAdd(int rkey, long remoteAddress, long add) {
    return begin(
        SendOpsFlags.WITH_ATOMIC_FETCH_AND_ADD, () -> driver.fetchAndAdd(rkey, remoteAddress, add));
  }

  @Override
  public WorkRequestBuilder atomicWrite(int rkey, long remoteAddress, long value) {
    return begin(
        SendOpsFlags.WITH_ATOMIC_WRITE, () -> driver.atomicWrite(rkey, remoteAddress, value));
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
    return begin(
        SendOpsFlags.WITH_BIND_MW, () -> driver.bind(mw, rkey, mr, address, length, accessFlags));
  }

  @Override
  public WorkRequestBuilder localInvalidate(int rkey) {
    return begin(SendOpsFlags.WITH_LOCAL_INV, () -> driver.localInvalidate(rkey));
  }

  @Override
  public WorkRequestBuilder flush(
      int rkey, long remoteAddress, long length, int placement, int selectivity) {
    return begin(
        SendOpsFlags.WITH_FLUSH,
        () -> driver.flush(rkey, remoteAddress, length, placement, selectivity));
  }

  // ---- what an operation sends, and where to

  @Override
  public WorkRequestBuilder setSge(int lkey, long address, int length) {
    return add(() -> driver.setSge(lkey, address, length));
  }

  @Override
  public WorkRequestBuilder setSgeList(MemorySegment view, int count) {
    RequiredArgument.check(view, "view");
    requireStarted();
    if (count < 0 || !view.isNative() || view.byteSize() < (long) count * SgeLayout.SIZE) {
      refuse(count < 0 ? Errno.EINVAL : Errno.EFAULT, "the elements are not in the memory given");
    }
    return add(() -> driver.setSgeList(view, count));
  }

  @Override
  public WorkRequestBuilder setInlineData(MemorySegment data) {
    RequiredArgument.check(data, "data");
    return add(
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            driver.setInlineData(arena.allocate(data.byteSize(), Long.BYTES).copyFrom(data));
          } catch (IllegalStateException | WrongThreadException e) {
            refuse(Errno.EFAULT, "the inline data is freed or another thread's");
          }
        });
  }

  @Override
  public WorkRequestBuilder setInlineDataList(List<MemorySegment> buffers) {
    RequiredArgument.check(buffers, "buffers");
    buffers.forEach(each -> RequiredArgument.check(each, "buffers"));
    return add(
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            driver.setInlineDataList(InlineBuffers.of(arena, buffers), buffers.size());
          } catch (IllegalStateException | WrongThreadException e) {
            refuse(Errno.EFAULT, "the inline data is freed or another thread's");
          }
        });
  }

  @Override
  public WorkRequestBuilder setUdAddress(AddressHandle ah, int remoteQpn, int remoteQkey) {
    long address = Wrapper.innermost(RequiredArgument.check(ah, "ah")).nativeHandle();
    return add(() -> driver.setUdAddress(address, remoteQpn, remoteQkey));
  }

  @Override
  public WorkRequestBuilder setXrcSrqNumber(int remoteSrqn) {
    return add(() -> driver.setXrcSrqNumber(remoteSrqn));
  }

  @Override
  public String toString() {
    return "work requests of " + qp.describe();
  }
}
