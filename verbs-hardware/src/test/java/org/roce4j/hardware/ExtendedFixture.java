package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqEx;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqInitAttrEx;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvQpEx;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvCq;
import org.roce4j.hardware.bindings.Structures.IbvQp;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttrEx;
import org.roce4j.hardware.bindings.Structures.VerbsContext;

/** A driver whose extended completion queues and queue pairs have functions in this class. */
abstract class ExtendedFixture extends LibraryFixture {

  /**
   * The calls of functions whose pointers are in structures: the name and the arguments after the
   * object.
   */
  final List<String> calls = new ArrayList<>();

  MemorySegment cqEx;
  MemorySegment qpEx;
  MemorySegment asked;

  @Override
  Map<Integer, String> later() {
    c.does("create_cq_ex", a -> completionQueue(a[0], a[1]));
    c.does("create_qp_ex", a -> queuePair(a[0], a[1]));
    c.does("ibv_qp_to_qp_ex", a -> extended());
    return Map.of(
        VerbsContext.CREATE_CQ_EX, "create_cq_ex",
        VerbsContext.MODIFY_CQ, "modify_cq",
        VerbsContext.CREATE_QP_EX, "create_qp_ex");
  }

  private long completionQueue(long owner, long attr) {
    asked = kept(LibraryInJava.at(attr, IbvCqInitAttrEx.SIZE));
    cqEx = arena.allocate(512, 8);
    cqEx.set(JAVA_LONG, IbvCq.CONTEXT, owner);
    cqEx.set(JAVA_LONG, IbvCq.CHANNEL, asked.get(JAVA_LONG, IbvCqInitAttrEx.CHANNEL));
    cqEx.set(JAVA_INT, IbvCq.CQE, asked.get(JAVA_INT, IbvCqInitAttrEx.CQE));
    functions(cqEx, IbvCqEx.class, IbvCqEx.START_POLL);
    return cqEx.address();
  }

  private MemorySegment kept(MemorySegment structure) {
    return arena.allocate(structure.byteSize(), 8).copyFrom(structure);
  }

  private long queuePair(long owner, long attr) {
    asked = kept(LibraryInJava.at(attr, IbvQpInitAttrEx.SIZE));
    MemorySegment qp = arena.allocate(512, 8);
    qp.set(JAVA_LONG, IbvQp.CONTEXT, owner);
    qp.set(JAVA_LONG, IbvQp.PD, asked.get(JAVA_LONG, IbvQpInitAttrEx.PD));
    qp.set(JAVA_LONG, IbvQp.SEND_CQ, asked.get(JAVA_LONG, IbvQpInitAttr.SEND_CQ));
    qp.set(JAVA_LONG, IbvQp.RECV_CQ, asked.get(JAVA_LONG, IbvQpInitAttr.RECV_CQ));
    qp.set(JAVA_INT, IbvQp.QP_TYPE, asked.get(JAVA_INT, IbvQpInitAttr.QP_TYPE));
    return qp.address();
  }

  private long extended() {
    qpEx = arena.allocate(512, 8);
    functions(qpEx, IbvQpEx.class, IbvQpEx.WR_ATOMIC_CMP_SWP);
    qpEx.set(ADDRESS, IbvQpEx.WR_ATOMIC_WRITE + 8L, recording("wr_flush"));
    return qpEx.address();
  }

  /** Sets every field from the first on to a function of the field's name. */
  private void functions(MemorySegment structure, Class<?> layout, int first) {
    Arrays.stream(layout.getFields())
        .filter(field -> !field.getName().equals("SIZE") && offset(field) >= first)
        .forEach(
            field ->
                structure.set(
                    ADDRESS, offset(field), recording(field.getName().toLowerCase(Locale.ROOT))));
  }

  private static int offset(Field field) {
    try {
      return field.getInt(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  private MemorySegment recording(String name) {
    c.does(
        name,
        a -> {
          calls.add(name);
          return 0;
        });
    return c.pointer(name);
  }

  /** Makes a function that notes its first {@code arguments} arguments after the object. */
  final void notes(String name, int arguments) {
    c.does(
        name,
        a -> {
          calls.add(name + Arrays.stream(a).skip(1).limit(arguments).boxed().toList());
          return 0;
        });
  }
}
