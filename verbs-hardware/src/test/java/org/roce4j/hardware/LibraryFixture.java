package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.roce4j.hardware.bindings.DriverInJava;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.VerbsContext;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.NodeType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.TransportType;

/** A context of a library whose functions are in this class; it needs no device. */
abstract class LibraryFixture {
  private static final Linker LINKER = Linker.nativeLinker();

  final Arena arena = Arena.ofShared();
  LibraryInJava c;
  HardwareContext context;
  int descriptor;

  @BeforeEach
  void open() throws Throwable {
    descriptor = (int) link("eventfd", JAVA_INT, JAVA_INT).invokeExact(0, 0);
    c = new LibraryInJava(arena, descriptor);
    long device = arena.allocate(8, 8).address();
    MemorySegment table = arena.allocate(VerbsContext.SIZE, 8);
    MemorySegment opened = table.asSlice(VerbsContext.CONTEXT, IbvContext.SIZE);
    opened.copyFrom(DriverInJava.doingNothing(arena));
    table.set(JAVA_LONG, VerbsContext.SZ, VerbsContext.SIZE);
    opened.set(JAVA_LONG, IbvContext.ABI_COMPAT, -1);
    later().forEach((field, name) -> table.set(ADDRESS, field, c.pointer(name)));
    opened.set(JAVA_LONG, IbvContext.DEVICE, device);
    opened.set(JAVA_INT, IbvContext.CMD_FD, descriptor);
    opened.set(JAVA_INT, IbvContext.ASYNC_FD, descriptor);
    opened.set(JAVA_INT, IbvContext.NUM_COMP_VECTORS, 1);
    context =
        new HardwareContext(
            new HardwareDevice(null, "none", 0, -1, NodeType.CA, TransportType.IB),
            c.library(),
            opened.address(),
            device,
            Path.of("none"));
  }

  /** The functions of the driver in {@code struct verbs_context}: names by field. */
  Map<Integer, String> later() {
    return Map.of();
  }

  static MethodHandle link(String name, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  @AfterEach
  void close() throws Throwable {
    int unused = (int) link("close", JAVA_INT).invokeExact(descriptor);
    arena.close();
  }

  static long address(Object object) {
    return ((HardwareObject) object).address;
  }

  QueuePair queuePair(ProtectionDomain pd, CompletionQueue cq) {
    QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, 0);
    return pd.createQp(new QpInitAttr().qpType(QpType.UD).cq(cq).cap(cap));
  }

  /** Records the first {@code arguments} arguments of each call of a function from now on. */
  List<List<Long>> asked(String function, int arguments) {
    List<List<Long>> all = new ArrayList<>();
    c.does(
        function,
        a -> {
          all.add(Arrays.stream(a).limit(arguments).boxed().toList());
          return 0;
        });
    return all;
  }
}
