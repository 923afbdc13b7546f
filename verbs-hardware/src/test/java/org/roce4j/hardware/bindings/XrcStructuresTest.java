package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvQpOpenAttr;
import org.roce4j.hardware.bindings.Structures.IbvSrqInitAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvXrcdInitAttr;
import org.roce4j.hardware.bindings.Structures.VerbsContext;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.SrqInitAttrEx;

/** The calls of a driver for extended reliable connections; its functions are in this class. */
@EnabledOnOs(OS.LINUX)
class XrcStructuresTest {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final long MADE = 0x1000;
  private static final int NUMBER = 0x4711;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final MemorySegment table = arena.allocate(VerbsContext.SIZE, 8);
  private final long context = table.address() + VerbsContext.CONTEXT;
  private final List<String> calls = new ArrayList<>();

  private ContextExtensions extensions() {
    table.set(JAVA_LONG, VerbsContext.SZ, VerbsContext.SIZE);
    table.set(JAVA_LONG, (long) VerbsContext.CONTEXT + IbvContext.ABI_COMPAT, -1);
    return new ContextExtensions(null, context);
  }

  private void driverHas(int field, String name, int bytes) throws ReflectiveOperationException {
    MethodHandle method =
        MethodHandles.lookup()
            .bind(
                this,
                "called",
                MethodType.methodType(long.class, String.class, int.class, long.class, long.class));
    table.set(
        JAVA_LONG,
        field,
        LINKER
            .upcallStub(
                MethodHandles.insertArguments(method, 0, name, bytes),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG),
                arena)
            .address());
  }

  /** Records the call and the structure that its second argument points to. */
  @SuppressWarnings("unused") // by upcall
  long called(String name, int bytes, long first, long second) {
    assertEquals(name.startsWith("get") || name.startsWith("close") ? MADE : context, first);
    if (name.equals("get_srq_num")) {
      MemorySegment.ofAddress(second).reinterpret(4).set(JAVA_INT, 0, NUMBER);
      return 0;
    }
    MemorySegment structure = MemorySegment.ofAddress(second).reinterpret(bytes);
    calls.add(name + " " + HexFormat.of().formatHex(structure.toArray(JAVA_BYTE)));
    return name.startsWith("close") ? Errno.EBUSY.number() : MADE;
  }

  private String call(String name, int size, long... fields) {
    MemorySegment expected = arena.allocate(size, 8);
    for (int i = 0; i < fields.length; i += 3) {
      if (fields[i + 1] == 4) {
        expected.set(JAVA_INT, fields[i], (int) fields[i + 2]);
      } else {
        expected.set(JAVA_LONG, fields[i], fields[i + 2]);
      }
    }
    return name + " " + HexFormat.of().formatHex(expected.toArray(JAVA_BYTE));
  }

  @Tag("ibv_open_xrcd")
  @Tag("ibv_create_srq_ex")
  @Tag("ibv_create_qp_ex")
  @Tag("ibv_open_qp")
  @Tag("ibv_get_srq_num")
  @Test
  void whatIsMadeIsAskedForWithTheStructuresOfTheHeader() throws ReflectiveOperationException {
    driverHas(VerbsContext.OPEN_XRCD, "open_xrcd", IbvXrcdInitAttr.SIZE);
    driverHas(VerbsContext.CREATE_SRQ_EX, "create_srq_ex", IbvSrqInitAttrEx.SIZE);
    driverHas(VerbsContext.GET_SRQ_NUM, "get_srq_num", 4);
    driverHas(VerbsContext.CREATE_QP_EX, "create_qp_ex", IbvQpInitAttrEx.SIZE);
    driverHas(VerbsContext.OPEN_QP, "open_qp", IbvQpOpenAttr.SIZE);
    ContextExtensions extensions = extensions();
    try (Frame frame = new Frame()) {
      assertEquals(MADE, extensions.openXrcd(frame, XrcStructures.domain(frame, -1, 0100)));
      SrqInitAttrEx srq = new SrqInitAttrEx().maxWr(7).maxSge(2);
      assertEquals(
          MADE,
          extensions.createSrq(frame, XrcStructures.sharedReceiveQueue(frame, srq, 11, 12, 13)));
      assertEquals(NUMBER, extensions.srqNum(frame, MADE));
      assertEquals(MADE, extensions.createQp(frame, XrcStructures.target(frame, 14)));
      QpOpenAttr open = new QpOpenAttr(0x123456, null);
      assertEquals(MADE, extensions.openQp(frame, XrcStructures.opening(frame, open, 15)));
    }
    assertEquals(
        List.of(
            call("open_xrcd", IbvXrcdInitAttr.SIZE, 0, 4, 3, 4, 4, -1, 8, 4, 0100),
            call(
                "create_srq_ex",
                IbvSrqInitAttrEx.SIZE,
                new long[] {
                  8, 4, 7, 12, 4, 2, 20, 4, 15, 24, 4, 1, 32, 8, 11, 40, 8, 12, 48, 8, 13
                }),
            call(
                "create_qp_ex",
                IbvQpInitAttrEx.SIZE,
                new long[] {IbvQpInitAttr.QP_TYPE, 4, 10, 60, 4, 2, 72, 8, 14}),
            call(
                "open_qp",
                IbvQpOpenAttr.SIZE,
                new long[] {0, 4, 11, 4, 4, 0x123456, 8, 8, 15, 24, 4, 10})),
        calls);
  }

  @Tag("ibv_close_xrcd")
  @Test
  void whatADriverLacksIsNotSupportedAndWhatItRefusesHasItsErrno()
      throws ReflectiveOperationException {
    ContextExtensions none = extensions();
    try (Frame frame = new Frame()) {
      MemorySegment attr = XrcStructures.domain(frame, -1, 0);
      refused(Errno.EOPNOTSUPP, () -> none.openXrcd(frame, attr));
      driverHas(VerbsContext.CLOSE_XRCD, "close_xrcd", 0);
      assertEquals(Errno.EBUSY.number(), extensions().closeXrcd(frame, MADE));
    }
  }
}
