package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.XrcdInitAttr;

/** Verbs whose attributes have a null or a number out of range in them. */
class BadAttributesTest extends PlayedCalls {
  /**
   * Components without a meaning on RoCE or in this verb, or whose values are cut to 20 or 24 bits.
   */
  private static final Set<String> TAKEN =
      Set.of(
          "AhAttr.dlid",
          "AhAttr.serviceLevel",
          "AhAttr.sourcePathBits",
          "AhAttr.staticRate",
          "GlobalRoute.flowLabel",
          "QpInitAttr.sourceQpn",
          "QpInitAttr.srq",
          "QpInitAttr.userContext",
          "QpInitAttr.xrcd",
          "QpRateLimitAttr.maxBurstSize 2147483647",
          "CqInitAttr.channel",
          "CqInitAttr.userContext",
          "SrqInitAttrEx.userContext",
          "XrcdInitAttr.file",
          "SrqInitAttr.userContext",
          "SrqInitAttr.limit",
          "SrqAttr.maxSge",
          "QpAttr.rqPsn",
          "QpAttr.sqPsn",
          "QpAttr.qpAccessFlags");

  /** Sets of features: a device refuses those that it lacks, by their names. */
  private static final Set<String> BITS =
      Set.of("CqInitAttr.wcFlags", "QpInitAttr.sendOps", "QpInitAttr.createFlags");

  @AutoClose private final LiveObjects objects = live();

  /** Calls a verb with attributes that have one bad component. */
  private interface Use {
    void with(LiveObjects objects, Record attributes);
  }

  private record Row(Record good, int component, Object value, Use use) {
    String name() {
      return good.getClass().getRecordComponents()[component].getName();
    }

    /** Good attributes except for the one component. */
    Record bad() throws ReflectiveOperationException {
      RecordComponent[] components = good.getClass().getRecordComponents();
      Object[] values = new Object[components.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = i == component ? value : components[i].getAccessor().invoke(good);
      }
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      return good.getClass().getDeclaredConstructor(types).newInstance(values);
    }

    @Override
    public String toString() {
      return good.getClass().getSimpleName() + "." + name() + " " + value;
    }
  }

  private static Stream<Row> rows(Record good, Use use) {
    RecordComponent[] components = good.getClass().getRecordComponents();
    Stream.Builder<Row> rows = Stream.builder();
    for (int i = 0; i < components.length; i++) {
      for (Object value : badValues(components[i].getType())) {
        rows.add(new Row(good, i, value, use));
      }
    }
    return rows.build();
  }

  private static Object[] badValues(Class<?> type) {
    if (type == int.class) {
      return new Object[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE};
    }
    if (type == long.class) {
      return new Object[] {-1L, Long.MIN_VALUE, Long.MAX_VALUE};
    }
    return type.isPrimitive() ? new Object[0] : new Object[] {null};
  }

  static Stream<Row> records() {
    try (LiveObjects any = new LiveObjects()) {
      AhAttr path = any.path();
      return Stream.of(
              rows(path, (o, attr) -> o.pd.createAh((AhAttr) attr).close()),
              rows(path.grh(), (o, attr) -> o.pd.createAh(along((GlobalRoute) attr)).close()),
              rows(any.init().cap(), (o, attr) -> create(o, (QpCapabilities) attr)),
              rows(
                  new SrqInitAttr(null, 1, 1, 1),
                  (o, attr) -> o.pd.createSrq((SrqInitAttr) attr).close()),
              rows(
                  new SrqAttr(LiveObjects.DEPTH, 0, 1),
                  (o, attr) ->
                      o.srq.modify((SrqAttr) attr, SrqAttrMask.MAX_WR | SrqAttrMask.LIMIT)),
              rows(
                  new XrcdInitAttr(), (o, attr) -> o.context.openXrcd((XrcdInitAttr) attr).close()),
              rows(
                  new QpRateLimitAttr(1_000_000, 0, 1024),
                  (o, attr) -> o.qp.modifyRateLimit((QpRateLimitAttr) attr)))
          .flatMap(rows -> rows);
    }
  }

  private static AhAttr along(GlobalRoute route) {
    return new AhAttr(true, route, 0, 0, 0, 0, 1);
  }

  private static void create(LiveObjects objects, QpCapabilities cap) {
    objects.pd.createQp(objects.init().cap(cap)).close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("records")
  void refusesABadComponentAndChangesNothing(Row row) throws ReflectiveOperationException {
    Record bad = row.bad();
    String name = row.good.getClass().getSimpleName() + "." + row.name();
    if (TAKEN.contains(name) || TAKEN.contains(name + " " + row.value)) {
      row.use.with(objects, bad);
    } else {
      Told.value(row.name(), row.value, names(row.name(), () -> row.use.with(objects, bad)));
    }
    row.use.with(objects, row.good);
    objects.works();
    objects.destroy(Context.class);
  }

  // ---- attributes of queue pairs

  static Stream<Arguments> setters() {
    return Arrays.stream(QpAttr.class.getMethods())
        .filter(method -> method.getReturnType() == QpAttr.class && method.getParameterCount() == 1)
        .flatMap(
            method ->
                Arrays.stream(badValues(method.getParameterTypes()[0]))
                    .map(value -> Arguments.of(method, value)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("setters")
  void refusesABadAttributeInEveryStateThatTakesIt(Method setter, Object value) throws Throwable {
    QueuePair qp = objects.pd.createQp(objects.init());
    QpAttr alone = new QpAttr();
    set(alone, setter, value);
    QpState[] states = {QpState.INIT, QpState.RTR, QpState.RTS};
    for (QpState state : states) {
      QpState before = qp.state();
      QpAttr bad = good().qpState(state);
      set(bad, setter, value);
      int needed = QpAttrMask.STATE | QpBringUp.needed(qp.qpType(), state);
      int mask = needed | alone.mask();
      boolean taken = TAKEN.contains("QpAttr." + setter.getName());
      boolean optional = setter.getName().equals("qpAccessFlags");
      if (taken && (optional || mask == needed)) {
        qp.modify(bad, mask);
      } else {
        VerbsException told = namesChanged(setter.getName(), () -> qp.modify(bad, mask));
        if (told.remedy().contains("must be")) { // and not that this step takes no such attribute
          Told.value(setter.getName(), value, told);
        }
        assertEquals(before, qp.state());
        QpBringUp.to(state, qp, good());
      }
      assertEquals(state, qp.state());
    }
    qp.close();
    objects.works();
    objects.destroy(Context.class);
  }

  /** RoCE has no alternate paths, with any attributes, and these attributes have no rate. */
  private static VerbsException namesChanged(String attribute, Runnable call) {
    if (attribute.equals("rateLimit")) {
      return names(Errno.EOPNOTSUPP, attribute, call);
    }
    return names(attribute.startsWith("alt") ? "altAhAttr" : attribute, call);
  }

  private QpAttr good() {
    return LiveObjects.attributes(objects.path(), 1);
  }

  private static void set(Object on, Method setter, Object value) throws Throwable {
    try {
      setter.invoke(on, value);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  // ---- creation attributes

  /** An object that is made and closed with attributes that are made for it. */
  private enum Made {
    CQ_EX(o -> new CqInitAttr(), (o, attr) -> o.context.createCqEx((CqInitAttr) attr).close()),
    XRC_SRQ(
        LiveObjects::xrcSrqInit, (o, attr) -> o.context.createSrq((SrqInitAttrEx) attr).close()),
    QP(o -> o.init().pd(o.pd), (o, attr) -> o.context.createQp((QpInitAttr) attr).close());

    private final Function<LiveObjects, Object> attributes;
    private final BiConsumer<LiveObjects, Object> make;

    Made(Function<LiveObjects, Object> attributes, BiConsumer<LiveObjects, Object> make) {
      this.attributes = attributes;
      this.make = make;
    }
  }

  static Stream<Arguments> numbers() {
    return Arrays.stream(Made.values())
        .flatMap(
            made -> {
              try (LiveObjects any = new LiveObjects()) {
                Class<?> type = made.attributes.apply(any).getClass();
                return Arrays.stream(type.getMethods())
                    .filter(method -> method.getReturnType() == type)
                    .filter(method -> method.getParameterCount() == 1)
                    .flatMap(
                        method ->
                            Arrays.stream(badValues(method.getParameterTypes()[0]))
                                .map(value -> Arguments.of(made, method, value)));
              }
            });
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @MethodSource("numbers")
  void refusesABadCreationAttributeAndMakesNothing(Made made, Method setter, Object value)
      throws Throwable {
    Object attributes = made.attributes.apply(objects);
    set(attributes, setter, value);
    String name = attributes.getClass().getSimpleName() + "." + setter.getName();
    if (TAKEN.contains(name)) {
      made.make.accept(objects, attributes);
    } else if (BITS.contains(name)) {
      refused(Errno.EOPNOTSUPP, () -> made.make.accept(objects, attributes));
    } else {
      Told.value(
          setter.getName(),
          value,
          names(setter.getName(), () -> made.make.accept(objects, attributes)));
    }
    made.make.accept(objects, made.attributes.apply(objects));
    objects.works();
    objects.destroy(Context.class);
  }

  /** Requires EINVAL and a message that names the attribute, in any spelling. */
  private static VerbsException names(String attribute, Runnable call) {
    return names(Errno.EINVAL, attribute, call);
  }

  private static VerbsException names(Errno errno, String attribute, Runnable call) {
    VerbsException e = refused(errno, call);
    assertTrue(
        letters(e.remedy()).contains(letters(attribute)),
        () -> attribute + " is not in: " + e.remedy());
    return e;
  }

  private static String letters(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
  }
}
