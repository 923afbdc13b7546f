package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Every verb with each object that it is given, as an argument or among its attributes, destroyed,
 * of another context of the device, and of another device.
 */
class BadObjectsTest extends PlayedCalls {
  /** A kind of object, new in that context. */
  private static final Map<Class<?>, Function<Maker, AutoCloseable>> KINDS =
      Map.ofEntries(
          Map.entry(CompletionChannel.class, in -> in.context.createCompletionChannel()),
          Map.entry(CompletionQueue.class, in -> in.context.createCq(4)),
          Map.entry(ProtectionDomain.class, in -> in.context.allocPd()),
          Map.entry(ThreadDomain.class, in -> in.context.allocTd()),
          Map.entry(XrcDomain.class, in -> in.context.openXrcd(new XrcdInitAttr())),
          Map.entry(DeviceMemory.class, in -> in.context.allocDm(64, 0)),
          Map.entry(SharedReceiveQueue.class, in -> in.pd().createSrq(new SrqInitAttr(4, 1))),
          Map.entry(MemoryWindow.class, in -> in.pd().allocMemoryWindow(MwType.TYPE_1)),
          Map.entry(AddressHandle.class, in -> in.pd().createAh(in.path)),
          Map.entry(
              MemoryRegion.class,
              in ->
                  in.pd().registerMemory(in.objects.arena.allocate(64), AccessFlags.LOCAL_WRITE)));

  /**
   * An element bears a key, and whether its region exists is asked when the request is executed;
   * only XRC_RECV queue pairs have an XRC domain, and what {@link ProtectionDomain#createQp} makes
   * is of the domain that makes it.
   */
  private static final Set<String> TAKEN =
      Set.of(
          "WorkRequestBuilder.setSge(region)",
          "Context.createQp(attr.xrcd)",
          "ProtectionDomain.createQp(attr.xrcd)",
          "ProtectionDomain.createQp(attr.pd)");

  private record Maker(LiveObjects objects, Context context, AhAttr path) {
    ProtectionDomain pd() {
      return context.allocPd();
    }
  }

  /** Why the object is none that the verb takes. */
  private enum Fault {
    DESTROYED("destroyed"),
    OF_ANOTHER_CONTEXT("another|one protection domain"),
    OF_ANOTHER_DEVICE("another|of this device");

    private final String words;

    Fault(String words) {
      this.words = words;
    }
  }

  /** A verb, the argument, and which of its attributes is bad, if it is not the argument itself. */
  private record Place(VerbMethod verb, int index, Method attribute, Fault fault) {
    Class<?> kind() {
      if (attribute == null) {
        return verb.parameter(index).getType();
      }
      return attribute.getParameterCount() == 1
          ? attribute.getParameterTypes()[0]
          : attribute.getReturnType();
    }

    String name() {
      String of = attribute == null ? "" : "." + attribute.getName();
      return verb.name(index).replace(")", of + ")");
    }

    @Override
    public String toString() {
      return name() + " " + fault;
    }
  }

  static Stream<Place> places() {
    return BadCallsTest.verbs()
        .flatMap(
            verb ->
                verb.parameters(false)
                    .flatMap(
                        index ->
                            Stream.concat(
                                KINDS.containsKey(verb.parameter(index).getType())
                                    ? faults(verb, index, null)
                                    : Stream.empty(),
                                attributes(verb.parameter(index).getType())
                                    .flatMap(attribute -> faults(verb, index, attribute)))));
  }

  private static Stream<Place> faults(VerbMethod verb, int index, Method attribute) {
    return EnumSet.allOf(Fault.class).stream()
        .map(fault -> new Place(verb, index, attribute, fault));
  }

  /** Setters, or accessors of a record, of objects. */
  private static Stream<Method> attributes(Class<?> type) {
    if (type.isRecord()) {
      return Arrays.stream(type.getRecordComponents())
          .filter(component -> KINDS.containsKey(component.getType()))
          .map(RecordComponent::getAccessor);
    }
    return type.getSimpleName().matches(".*Attr(Ex)?")
        ? Arrays.stream(type.getMethods())
            .filter(method -> method.getReturnType() == type && method.getParameterCount() == 1)
            .filter(method -> KINDS.containsKey(method.getParameterTypes()[0]))
        : Stream.empty();
  }

  @Test
  void everyObjectIsInTheTable() {
    assertTrue(places().count() > 60, () -> places().toList().toString());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("places")
  void refusesAnObjectThatIsNoneOfItsOwnAndChangesNothing(Place place) throws Throwable {
    try (LiveObjects objects = live();
        Context second = objects.context.device().open()) {
      Object bad = bad(objects, second, place);
      Object[] arguments = objects.arguments(place.verb);
      arguments[place.index] =
          place.attribute == null ? bad : with(place.attribute, arguments[place.index], bad);
      Object target = objects.target(place.verb);
      boolean binds = place.verb.name().equals("QueuePair.bindMemoryWindow"); // as ibv_bind_mw
      if (TAKEN.contains(place.name())) {
        if (place.verb.call(target, arguments) instanceof AutoCloseable made) {
          made.close();
        }
      } else if (place.verb.owner() == WorkRequestBuilder.class) {
        place.verb.call(target, arguments);
        assertEquals(Errno.EINVAL.number(), ((WorkRequestBuilder) target).complete());
      } else {
        VerbsException e =
            assertThrows(VerbsException.class, () -> place.verb.call(target, arguments));
        boolean perm = binds && place.fault == Fault.OF_ANOTHER_CONTEXT;
        assertEquals(perm ? Errno.EPERM : Errno.EINVAL, e.errno());
        assertTrue(e.remedy().matches("(?s).*(" + place.fault.words + ").*"), e::remedy);
        if (place.fault != Fault.DESTROYED) {
          assertTrue(e.remedy().contains((perm ? pd(bad) : bad).toString()), e::remedy);
        }
      }
      objects.works();
      objects.destroy(Context.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        CompletionChannel.class,
        CompletionQueue.class,
        ProtectionDomain.class,
        SharedReceiveQueue.class,
        XrcDomain.class
      })
  void whatIsInUseIsNotDestroyedAndGoesOn(Class<?> kind) {
    try (LiveObjects objects = live()) {
      AutoCloseable used = (AutoCloseable) objects.objects().get(kind);
      VerbsException busy = assertThrows(VerbsException.class, used::close);
      assertEquals(Errno.EBUSY, busy.errno());
      assertTrue(busy.remedy().contains("used by"), busy.remedy());
      objects.works();
      objects.destroy(Context.class);
    }
  }

  /** A thread of the program continues after another one has closed the object. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("contextsVerbs")
  void aContextThatAnotherThreadClosedSaysSo(VerbMethod verb) throws Exception {
    try (LiveObjects objects = live()) {
      Object[] arguments = objects.arguments(verb);
      Thread closing = Thread.ofVirtual().start(objects.context::close);
      closing.join();
      VerbsException gone =
          assertThrows(VerbsException.class, () -> verb.call(objects.context, arguments));
      assertEquals(Errno.ENODEV, gone.errno());
      assertTrue(gone.remedy().contains("closed"), gone.remedy());
    }
  }

  static Stream<VerbMethod> contextsVerbs() {
    return BadCallsTest.verbs()
        .filter(verb -> verb.owner() == Context.class)
        .filter(verb -> verb.method().getName().matches("(alloc|create|query|open).*"));
  }

  private static ProtectionDomain pd(Object bad) {
    return bad instanceof MemoryRegion region ? region.pd() : ((MemoryWindow) bad).pd();
  }

  private static Object bad(LiveObjects objects, Context second, Place place) throws Exception {
    Function<Maker, AutoCloseable> kind = KINDS.get(place.kind());
    AhAttr path = objects.path();
    return switch (place.fault) {
      case OF_ANOTHER_CONTEXT -> kind.apply(new Maker(objects, second, path));
      case OF_ANOTHER_DEVICE ->
          kind.apply(
              new Maker(objects, objects.link.far(), AhAttr.roce(objects.link.nearAddress(), 0)));
      case DESTROYED -> {
        AutoCloseable object = kind.apply(new Maker(objects, objects.context, path));
        object.close();
        yield object;
      }
    };
  }

  private static Object with(Method attribute, Object good, Object bad)
      throws ReflectiveOperationException {
    if (!(good instanceof Record)) {
      return attribute.invoke(good, bad);
    }
    RecordComponent[] components = good.getClass().getRecordComponents();
    Object[] values = new Object[components.length];
    Class<?>[] types = new Class<?>[components.length];
    for (int i = 0; i < values.length; i++) {
      types[i] = components[i].getType();
      values[i] =
          components[i].getAccessor().equals(attribute)
              ? bad
              : components[i].getAccessor().invoke(good);
    }
    return good.getClass().getDeclaredConstructor(types).newInstance(values);
  }
}
