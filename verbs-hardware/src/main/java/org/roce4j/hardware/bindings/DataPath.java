package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.IbvMwBind;
import org.roce4j.verbs.CallerMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.WcLayout;

/**
 * What the header {@code infiniband/verbs.h} does inline: calls of the driver's functions, whose
 * pointers stand in {@code struct ibv_context}. Posting and polling are one call each, from and
 * into the caller's memory, and allocate nothing. Thread-safe.
 *
 * <p>The memory is handed to the linker as a segment, so that the arena cannot be closed during a
 * call. No call is linked as critical: a loop that polls would keep the virtual machine from a
 * safepoint, and a driver may enter the kernel.
 */
public final class DataPath {
  private static final Linker LINKER = Linker.nativeLinker();

  /** One handle for whatever function: constant, so that the compiler sees through it. */
  private static final MethodHandle POST =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS));

  private static final MethodHandle POLL =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS));
  private static final MethodHandle NOTIFY =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle BIND =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS));

  /** Where the driver writes {@code bad_wr}: one for each thread that posts. */
  private static final ThreadLocal<MemorySegment> BAD_WR =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(ADDRESS));

  /** The list is not in the memory that was given, or the memory is gone. */
  private static final long OUTSIDE = PostResult.of(Errno.EFAULT, 0);

  private final MemorySegment postSend;
  private final MemorySegment postRecv;
  private final MemorySegment postSrqRecv;
  private final MemorySegment pollCq;
  private final MemorySegment reqNotifyCq;
  private final MemorySegment bindMw;
  private final NativeFunction allocMw;
  private final NativeFunction deallocMw;

  /**
   * Reads the function pointers.
   *
   * @param context address of a {@code struct ibv_context}
   */
  public DataPath(long context) {
    MemorySegment structure = Memory.at(context, IbvContext.NUM_COMP_VECTORS);
    postSend = pointer(structure, IbvContext.POST_SEND);
    postRecv = pointer(structure, IbvContext.POST_RECV);
    postSrqRecv = pointer(structure, IbvContext.POST_SRQ_RECV);
    pollCq = pointer(structure, IbvContext.POLL_CQ);
    reqNotifyCq = pointer(structure, IbvContext.REQ_NOTIFY_CQ);
    MemorySegment alloc = pointer(structure, IbvContext.ALLOC_MW);
    MemorySegment dealloc = pointer(structure, IbvContext.DEALLOC_MW);
    bindMw = pointer(structure, IbvContext.BIND_MW);
    boolean windows = alloc.address() != 0 && dealloc.address() != 0;
    allocMw = windows ? NativeFunction.ofValue(alloc, 2) : null;
    deallocMw = windows ? NativeFunction.ofStatus(dealloc, 1) : null;
    LayoutCheck.demand(
        postSend.address() != 0
            && postRecv.address() != 0
            && pollCq.address() != 0
            && reqNotifyCq.address() != 0,
        "struct ibv_context has no function to post or to poll");
  }

  private static MemorySegment pointer(MemorySegment structure, long offset) {
    return MemorySegment.ofAddress(Memory.i64(structure, offset));
  }

  private static AssertionError impossible(Throwable thrown) {
    return new AssertionError("a downcall threw", thrown);
  }

  /** {@code ibv_post_send}; see {@link org.roce4j.verbs.QueuePair#postSend}. */
  public long postSend(long qp, MemorySegment view, long firstWr) {
    return post(postSend, qp, view, firstWr, SendWrLayout.NEXT);
  }

  /** {@code ibv_post_recv}. */
  public long postRecv(long qp, MemorySegment view, long firstWr) {
    return post(postRecv, qp, view, firstWr, RecvWrLayout.NEXT);
  }

  /** {@code ibv_post_srq_recv}. */
  public long postSrqRecv(long srq, MemorySegment view, long firstWr) {
    if (postSrqRecv.address() == 0) {
      return PostResult.of(Errno.EOPNOTSUPP, 0);
    }
    return post(postSrqRecv, srq, view, firstWr, RecvWrLayout.NEXT);
  }

  private static long post(
      MemorySegment function, long queue, MemorySegment view, long firstWr, long next) {
    if (!CallerMemory.holdsRequests(view)) {
      return OUTSIDE;
    }
    if (firstWr == 0) {
      return PostResult.OK;
    }
    MemorySegment badWr = BAD_WR.get();
    badWr.set(JAVA_LONG, 0, firstWr);
    int errno;
    try {
      errno = (int) POST.invokeExact(function, queue, from(view, firstWr), badWr);
    } catch (IndexOutOfBoundsException | IllegalStateException | WrongThreadException e) {
      return OUTSIDE; // not in the view, or its arena is closed or another thread's
    } catch (Throwable t) {
      throw impossible(t);
    }
    if (errno == 0) {
      return PostResult.OK;
    }
    return PostResult.of(Math.abs(errno), indexOf(badWr.get(JAVA_LONG, 0), view, firstWr, next));
  }

  /** A list begins where its memory begins, and needs no slice. */
  private static MemorySegment from(MemorySegment view, long address) {
    long offset = address - view.address();
    return offset == 0 ? view : view.asSlice(offset);
  }

  /**
   * The first, where the driver names none: soft-RoCE's writes null in a wrong state. And the one
   * that does not lie in the view, where the chain leaves it: the driver stopped there or later.
   */
  private static int indexOf(long badWr, MemorySegment view, long firstWr, long next) {
    int index = 0;
    for (long wr = firstWr; wr != 0; index++) {
      if (wr == badWr) {
        return index;
      }
      long offset = wr - view.address();
      if (offset < 0 || offset > view.byteSize() - next - Long.BYTES) {
        return index;
      }
      wr = Memory.i64(view, wr - view.address() + next);
    }
    return 0;
  }

  /** {@code ibv_poll_cq}; see {@link org.roce4j.verbs.CompletionQueue#poll}. */
  public int pollCq(long cq, MemorySegment view, long address, int max) {
    if (max <= 0) {
      return max < 0 ? -Errno.EINVAL.number() : 0;
    }
    long offset = address - view.address();
    if (!CallerMemory.holdsCompletions(view)
        || offset < 0
        || offset > view.byteSize() - (long) max * WcLayout.SIZE) {
      return -Errno.EFAULT.number();
    }
    try {
      return (int) POLL.invokeExact(pollCq, cq, max, from(view, address));
    } catch (IllegalStateException | WrongThreadException e) {
      return -Errno.EFAULT.number(); // the view's arena is closed, or another thread's
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** {@code ibv_req_notify_cq}: 0 or an errno. */
  public int reqNotifyCq(long cq, boolean solicitedOnly) {
    try {
      return Math.abs((int) NOTIFY.invokeExact(reqNotifyCq, cq, solicitedOnly ? 1 : 0));
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /**
   * {@code ibv_alloc_mw}.
   *
   * @throws org.roce4j.verbs.VerbsException as libibverbs refuses; EOPNOTSUPP when the driver has
   *     no windows
   */
  public long allocMw(Frame frame, long pd, int type) {
    long mw = allocMw == null ? 0 : allocMw.value(frame, pd, type);
    if (mw == 0) {
      throw Refusal.of("ibv_alloc_mw", allocMw == null ? Errno.EOPNOTSUPP.number() : frame.errno());
    }
    return mw;
  }

  /** {@code ibv_dealloc_mw}: 0 or an errno. */
  public int deallocMw(Frame frame, long mw) {
    return Libibverbs.errno(deallocMw.status(frame, mw), frame);
  }

  /**
   * {@code ibv_bind_mw}: 0 or an errno.
   *
   * @param mr address of the region, 0 to unbind
   */
  public int bindMw(
      Frame frame,
      long qp,
      long mw,
      long wrId,
      int sendFlags,
      long mr,
      long address,
      long length,
      int accessFlags) {
    if (bindMw.address() == 0) {
      return Errno.EOPNOTSUPP.number();
    }
    MemorySegment bind = frame.structure(IbvMwBind.SIZE);
    Memory.i64(bind, IbvMwBind.WR_ID, wrId);
    Memory.i32(bind, IbvMwBind.SEND_FLAGS, sendFlags);
    Memory.i64(bind, IbvMwBind.MR, mr);
    Memory.i64(bind, IbvMwBind.ADDR, address);
    Memory.i64(bind, IbvMwBind.LENGTH, length);
    Memory.i32(bind, IbvMwBind.MW_ACCESS_FLAGS, accessFlags);
    try {
      return Math.abs((int) BIND.invokeExact(bindMw, qp, mw, bind));
    } catch (Throwable t) {
      throw impossible(t);
    }
  }
}
