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
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
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

  private final BuilderTurn turn = new BuilderTurn();

  private long wrId;
  private int flags;

  /** Whether an operation was begun, to which elements and addresses belong. */
  private boolean building;

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
    turn.start();
    building = false;
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

  /** Asks the driver for an operation, if it has a function for it. */
  private WorkRequestBuilder begin(WrOpcode operation, Runnable call) {
    turn.check();
    turn.request(operation, wrId);
    building = false;
    long function = SendOpsFlags.of(operation);
    if ((operations & function) == 0) {
      turn.refuse(
          Errno.EOPNOTSUPP,
          "the queue pair was made without %s in sendOps"
              .formatted(SendOpsFlags.toString(function)));
    } else if (!turn.refused()) {
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
    turn.check();
    if (!turn.refused() && !building) {
      turn.refuse(Errno.EINVAL, "an operation comes before what it sends and where to");
    }
    if (!turn.refused()) {
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
    return begin(WrOpcode.SEND, driver::send);
  }

  @Override
  public WorkRequestBuilder sendImmediate(int immediate) {
    return begin(WrOpcode.SEND_WITH_IMM, () -> driver.sendImmediate(immediate));
  }

  @Override
  public WorkRequestBuilder sendInvalidate(int rkey) {
    return begin(WrOpcode.SEND_WITH_INV, () -> driver.sendInvalidate(rkey));
  }

  @Override
  public WorkRequestBuilder rdmaWrite(int rkey, long remoteAddress) {
    return begin(WrOpcode.RDMA_WRITE, () -> driver.write(rkey, remoteAddress));
  }

  @Override
  public WorkRequestBuilder rdmaWriteImmediate(int rkey, long remoteAddress, int immediate) {
    return begin(
        WrOpcode.RDMA_WRITE_WITH_IMM, () -> driver.writeImmediate(rkey, remoteAddress, immediate));
  }

  @Override
  public WorkRequestBuilder rdmaRead(int rkey, long remoteAddress) {
    return begin(WrOpcode.RDMA_READ, () -> driver.read(rkey, remoteAddress));
  }

  @Override
  public WorkRequestBuilder compareAndSwap(int rkey, long remoteAddress, long compare, long swap) {
    return begin(
        WrOpcode.ATOMIC_CMP_AND_SWP,
        () -> driver.compareAndSwap(rkey, remoteAddress, compare, swap));
  }

  @Override
  public WorkRequestBuilder fetchAndAdd(int rkey, long remoteAddress, long add) {
    return begin(WrOpcode.ATOMIC_FETCH_AND_ADD, () -> driver.fetchAndAdd(rkey, remoteAddress, add));
  }

  @Override
  public WorkRequestBuilder atomicWrite(int rkey, long remoteAddress, long value) {
    return begin(WrOpcode.ATOMIC_WRITE, () -> driver.atomicWrite(rkey, remoteAddress, value));
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
    return begin(WrOpcode.BIND_MW, () -> driver.bind(mw, rkey, mr, address, length, accessFlags));
  }

  @Override
  public WorkRequestBuilder localInvalidate(int rkey) {
    return begin(WrOpcode.LOCAL_INV, () -> driver.localInvalidate(rkey));
  }

  @Override
  public WorkRequestBuilder flush(
      int rkey, long remoteAddress, long length, int placement, int selectivity) {
    return begin(
        WrOpcode.FLUSH, () -> driver.flush(rkey, remoteAddress, length, placement, selectivity));
  }

  // ---- what an operation sends, and where to

  @Override
  public WorkRequestBuilder setSge(int lkey, long address, int length) {
    return add(() -> driver.setSge(lkey, address, length));
  }

  @Override
  public WorkRequestBuilder setSgeList(MemorySegment view, int count) {
    RequiredArgument.check(view, "view");
    turn.check();
    if (count < 0 || !view.isNative() || view.byteSize() < (long) count * SgeLayout.SIZE) {
      turn.refuse(
          count < 0 ? Errno.EINVAL : Errno.EFAULT, "the elements are not in the memory given");
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
            turn.refuse(Errno.EFAULT, "the inline data is freed or another thread's");
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
            turn.refuse(Errno.EFAULT, "the inline data is freed or another thread's");
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
