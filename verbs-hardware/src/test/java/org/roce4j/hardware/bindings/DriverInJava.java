package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.verbs.layout.WcLayout;

/** A {@code struct ibv_context} whose driver functions are methods here, called by upcalls. */
public final class DriverInJava {
  /** A {@link #badWr} that writes a null pointer. */
  static final long NULL = -1;

  private static final Linker LINKER = Linker.nativeLinker();

  final MemorySegment context;
  final List<String> calls = new ArrayList<>();

  /** What the next post returns, and its {@code bad_wr}. */
  int errno;

  long badWr;

  /** The completions that the next polls return. */
  final List<Long> completions = new ArrayList<>();

  DriverInJava(Arena arena) throws ReflectiveOperationException {
    context = arena.allocate(IbvContext.SIZE, 8);
    MethodType post = MethodType.methodType(int.class, long.class, long.class, MemorySegment.class);
    put(arena, IbvContext.POST_SEND, "postSend", post);
    put(arena, IbvContext.POST_RECV, "postRecv", post);
    put(arena, IbvContext.POST_SRQ_RECV, "postSrqRecv", post);
    put(
        arena,
        IbvContext.POLL_CQ,
        "pollCq",
        MethodType.methodType(int.class, long.class, int.class, MemorySegment.class));
    put(
        arena,
        IbvContext.REQ_NOTIFY_CQ,
        "reqNotifyCq",
        MethodType.methodType(int.class, long.class, int.class));
  }

  /** Sets every function to the same function of C, which has no effect. */
  public static MemorySegment doingNothing(Arena arena) {
    MemorySegment context = arena.allocate(IbvContext.SIZE, 8);
    MemorySegment function = LINKER.defaultLookup().findOrThrow("sched_yield");
    for (int field :
        new int[] {
          IbvContext.POST_SEND,
          IbvContext.POST_RECV,
          IbvContext.POST_SRQ_RECV,
          IbvContext.POLL_CQ,
          IbvContext.REQ_NOTIFY_CQ
        }) {
      context.set(ADDRESS, field, function);
    }
    return context;
  }

  private void put(Arena arena, int field, String name, MethodType type)
      throws ReflectiveOperationException {
    MethodHandle method =
        MethodHandles.lookup().findVirtual(DriverInJava.class, name, type).bindTo(this);
    FunctionDescriptor descriptor =
        FunctionDescriptor.of(
            JAVA_INT,
            type.parameterList().stream()
                .map(
                    each -> each == long.class ? JAVA_LONG : each == int.class ? JAVA_INT : ADDRESS)
                .toArray(java.lang.foreign.MemoryLayout[]::new));
    context.set(ADDRESS, field, LINKER.upcallStub(method, descriptor, arena));
  }

  int postSend(long qp, long wr, MemorySegment bad) {
    return post("send", qp, wr, bad);
  }

  int postRecv(long qp, long wr, MemorySegment bad) {
    return post("recv", qp, wr, bad);
  }

  int postSrqRecv(long srq, long wr, MemorySegment bad) {
    return post("srq", srq, wr, bad);
  }

  private int post(String what, long queue, long wr, MemorySegment bad) {
    calls.add(what + " " + Long.toHexString(queue) + " " + Long.toHexString(wr));
    if (badWr != 0) {
      bad.reinterpret(8).set(JAVA_LONG, 0, badWr == NULL ? 0 : badWr);
    }
    return errno;
  }

  int pollCq(long cq, int max, MemorySegment array) {
    calls.add("poll " + Long.toHexString(cq) + " " + max);
    if (errno != 0) {
      return -errno;
    }
    int count = Math.min(max, completions.size());
    MemorySegment entries = array.reinterpret((long) count * WcLayout.SIZE);
    for (int i = 0; i < count; i++) {
      WcLayout.wrId(entries, (long) i * WcLayout.SIZE, completions.removeFirst());
    }
    return count;
  }

  int reqNotifyCq(long cq, int solicitedOnly) {
    calls.add("arm " + Long.toHexString(cq) + " " + solicitedOnly);
    return errno;
  }
}
