package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.roce4j.hardware.bindings.Structures.IbvAsyncEvent;
import org.roce4j.hardware.bindings.Structures.IbvCompChannel;
import org.roce4j.hardware.bindings.Structures.IbvCq;
import org.roce4j.hardware.bindings.Structures.IbvMr;
import org.roce4j.hardware.bindings.Structures.IbvPd;
import org.roce4j.hardware.bindings.Structures.IbvQp;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttr;
import org.roce4j.hardware.bindings.Structures.IbvSrq;

/**
 * A libibverbs whose functions are in this class, called by upcalls. A function that creates an
 * object fills its structure; every other function returns 0, unless a test changes it.
 *
 * <p>Each function gets six longs, all in registers, and reads as many as it has arguments.
 */
public final class LibraryInJava {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final FunctionDescriptor SHAPE =
      FunctionDescriptor.of(
          JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  /** The behaviour of a function of C. */
  @FunctionalInterface
  public interface Function {
    long call(long[] arguments);
  }

  /** Intercepts every call before its function runs. */
  @FunctionalInterface
  public interface Interceptor {
    long call(String name, Function function, long[] arguments);
  }

  /** The names of the functions that were called, in order. */
  public final List<String> calls = Collections.synchronizedList(new ArrayList<>());

  private final Map<String, Function> functions = new HashMap<>();
  private final Arena arena;
  private final int descriptor;
  private Interceptor interceptor = (_, function, arguments) -> function.call(arguments);

  /**
   * @param descriptor the descriptor of completion channels
   */
  public LibraryInJava(Arena arena, int descriptor) {
    this.arena = arena;
    this.descriptor = descriptor;
    does("ibv_alloc_pd", a -> structure(IbvPd.CONTEXT, a[0]).address());
    does("ibv_create_comp_channel", a -> channel(a[0]));
    does("ibv_create_cq", a -> completionQueue(a[0], (int) a[1], a[3]));
    does("ibv_create_srq", a -> sharedReceiveQueue(a[0]));
    does("ibv_create_qp", a -> queuePair(a[0], at(a[1], IbvQpInitAttr.SIZE)));
    does("ibv_reg_mr_iova2", a -> memoryRegion(a[0], a[1], a[2]));
  }

  /** Sets the behaviour of a function. */
  public void does(String name, Function function) {
    functions.put(name, function);
  }

  /** Sets the interceptor of all calls. */
  public void intercepted(Interceptor by) {
    interceptor = by;
  }

  /** The current behaviour of a function. */
  public Function now(String name) {
    return functions.getOrDefault(name, nothing -> 0);
  }

  /** The library as C programs link it. */
  public Libibverbs library() {
    try {
      return new Libibverbs("in Java", this::function);
    } catch (LibraryMissing e) {
      throw new AssertionError(e);
    }
  }

  /** The same for librdmacm. */
  public Librdmacm connectionManager() {
    try {
      return new Librdmacm("in Java", this::function);
    } catch (LibraryMissing e) {
      throw new AssertionError(e);
    }
  }

  private Optional<MemorySegment> function(String name, String version) {
    return Optional.of(pointer(name));
  }

  /** Makes a function that is a pointer in a structure and no symbol of the library. */
  public MemorySegment pointer(String name) {
    try {
      MethodType type = MethodType.methodType(long.class, String.class, long[].class);
      MethodHandle called =
          MethodHandles.lookup()
              .findVirtual(LibraryInJava.class, "called", type)
              .bindTo(this)
              .bindTo(name)
              .asCollector(long[].class, SHAPE.argumentLayouts().size());
      return LINKER.upcallStub(called, SHAPE, arena);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  long called(String name, long[] arguments) {
    calls.add(name);
    return interceptor.call(name, now(name), arguments);
  }

  /** The memory of C at an address. */
  public static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** Allocates zeroed memory whose first field is a context. */
  public MemorySegment structure(long context) {
    return structure(0, context);
  }

  private MemorySegment structure(int contextAt, long context) {
    MemorySegment made = arena.allocate(256, 8);
    made.set(JAVA_LONG, contextAt, context);
    return made;
  }

  private static long contextOf(long pd) {
    return at(pd, IbvPd.SIZE).get(JAVA_LONG, IbvPd.CONTEXT);
  }

  private long channel(long context) {
    MemorySegment made = structure(IbvCompChannel.CONTEXT, context);
    made.set(ValueLayout.JAVA_INT, IbvCompChannel.FD, descriptor);
    return made.address();
  }

  private long completionQueue(long context, int cqe, long channel) {
    MemorySegment made = structure(IbvCq.CONTEXT, context);
    made.set(JAVA_LONG, IbvCq.CHANNEL, channel);
    made.set(ValueLayout.JAVA_INT, IbvCq.CQE, cqe);
    return made.address();
  }

  private long sharedReceiveQueue(long pd) {
    MemorySegment made = structure(IbvSrq.CONTEXT, contextOf(pd));
    made.set(JAVA_LONG, IbvSrq.PD, pd);
    return made.address();
  }

  private long queuePair(long pd, MemorySegment attr) {
    MemorySegment made = structure(IbvQp.CONTEXT, contextOf(pd));
    made.set(JAVA_LONG, IbvQp.PD, pd);
    made.set(JAVA_LONG, IbvQp.SEND_CQ, attr.get(JAVA_LONG, IbvQpInitAttr.SEND_CQ));
    made.set(JAVA_LONG, IbvQp.RECV_CQ, attr.get(JAVA_LONG, IbvQpInitAttr.RECV_CQ));
    made.set(JAVA_LONG, IbvQp.SRQ, attr.get(JAVA_LONG, IbvQpInitAttr.SRQ));
    int type = attr.get(ValueLayout.JAVA_INT, IbvQpInitAttr.QP_TYPE);
    made.set(ValueLayout.JAVA_INT, IbvQp.QP_TYPE, type);
    return made.address();
  }

  private long memoryRegion(long pd, long address, long length) {
    MemorySegment made = structure(IbvMr.CONTEXT, contextOf(pd));
    made.set(JAVA_LONG, IbvMr.PD, pd);
    made.set(JAVA_LONG, IbvMr.ADDR, address);
    made.set(JAVA_LONG, IbvMr.LENGTH, length);
    return made.address();
  }

  /** Replaces the keys of a region. */
  public static void keys(long mr, int lkey, int rkey) {
    at(mr, IbvMr.SIZE).set(ValueLayout.JAVA_INT, IbvMr.LKEY, lkey);
    at(mr, IbvMr.SIZE).set(ValueLayout.JAVA_INT, IbvMr.RKEY, rkey);
  }

  /** Writes an event. */
  public static void event(long event, long element, int type) {
    at(event, IbvAsyncEvent.SIZE).set(JAVA_LONG, IbvAsyncEvent.ELEMENT, element);
    at(event, IbvAsyncEvent.SIZE).set(ValueLayout.JAVA_INT, IbvAsyncEvent.EVENT_TYPE, type);
  }
}
