package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.VerbsException;

/** The list of a context's objects, and the actions when it closes. */
class ContextObjectsTest {
  private final Device device = LoneEngine.ofEngines(1, Gid.parse("10.0.0.1"));
  private final EmulatedContext context;
  private final EmulatedContext other;

  ContextObjectsTest() {
    device.attach(PortControl.NONE, Progress.NONE);
    device.rememberOrigins();
    context = EmulatedContext.open(device, () -> {});
    other = EmulatedContext.open(device, () -> {});
  }

  @Test
  void farewellsAreSaidOnceInTheirOrderUnlessTheyAreTakenBack() {
    List<String> said = new ArrayList<>();
    Runnable first = () -> said.add("first");
    Runnable second = () -> said.add("second");
    Runnable third = () -> said.add("third");
    for (Runnable each : List.of(first, second, third)) {
      context.objects().beforeClose(each);
    }
    other.objects().beforeClose(() -> said.add("other"));
    context.objects().beforeCloseNoMore(second);
    context.close();
    context.close();
    assertEquals(List.of("first", "third"), said);
  }

  /** Objects are still there to be taken leave of, but the context is closed for new ones. */
  @Test
  void aFarewellFindsTheContextClosedAndItsObjectsThere() {
    ProtectionDomain pd = context.allocPd();
    List<Errno> refused = new ArrayList<>();
    context
        .objects()
        .beforeClose(
            () -> {
              assertTrue(context.objects().closed());
              assertEquals(List.of(pd), List.copyOf(device.handles().all(EmulatedObject.class)));
              refused.add(assertThrows(VerbsException.class, context::allocPd).errno());
            });
    context.close();
    assertEquals(List.of(Errno.ENODEV), refused);
    assertEquals(0, device.handles().all(EmulatedObject.class).size());
  }

  @Test
  void objectsOfTheConnectionManagerAreOpenUntilTheyAreForgotten() {
    AutoCloseable id = () -> {};
    AutoCloseable channel = () -> {};
    context.objects().remember(id);
    other.objects().remember(channel);
    assertEquals(Set.of(context, other, id, channel), withContexts());
    context.objects().forget(id);
    assertEquals(Set.of(context, other, channel), withContexts());
    other.objects().forget(channel);
    assertEquals(Set.of(context, other), withContexts());
  }

  private Set<AutoCloseable> withContexts() {
    return device.openObjects().keySet();
  }

  @Test
  void aContextThatIsClosedHasNoObjectsAndHearsNothing() {
    context.allocPd();
    context.close();
    assertEquals(Set.of(other), withContexts());
    new DeviceChanges(device).port(1, false);
    assertFalse(context.objects().events().hasEvent());
    assertTrue(other.objects().events().hasEvent());
  }
}
