package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.Planted;
import org.roce4j.port.fault.FaultAction;

/**
 * Exceptions of a test's filters and observers are reported and have no effect on datagrams under
 * way.
 */
@ParameterizedClass
@EnumSource
class MisbehavingCallbackTest {
  @Parameter private Planted planted;

  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private final FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
  private final FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
  private final List<Throwable> told = new ArrayList<>();

  /** Hands the name of each event to {@code to}. */
  private record Told(Consumer<String> to) implements FabricObserver {
    @Override
    public void sent(long nowNs, FabricDatagram datagram) {
      to.accept("sent");
    }

    @Override
    public void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
      to.accept("dropped");
    }

    @Override
    public void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {
      to.accept("duplicated");
    }

    @Override
    public void corrupted(long nowNs, FabricDatagram datagram, int bits) {
      to.accept("corrupted");
    }

    @Override
    public void delayed(long nowNs, FabricDatagram datagram, long delayNs) {
      to.accept("delayed");
    }

    @Override
    public void delivered(long nowNs, FabricDatagram datagram) {
      to.accept("delivered");
    }
  }

  /** Throws at each event. */
  private FabricObserver clumsy() {
    return new Told(event -> planted.raise());
  }

  @Test
  void aDatagramAtWhichAFilterThrowsPasses() {
    fabric.onThrown(told::add);
    fabric.filter(
        (from, to, buffer, at, length, n) -> {
          planted.raise();
          return null;
        });
    a.send(b.gid(), 0, 3, 100);
    fabric.run(1_000_000_000);
    assertEquals(3, fabric.counts().delivered());
    assertEquals(Collections.nCopies(3, planted.thrown()), told);
  }

  @Test
  void aDatagramWithoutAVerdictPasses() {
    fabric.onThrown(told::add);
    fabric.filter((from, to, buffer, at, length, n) -> null);
    a.send(b.gid(), 0, 1, 100);
    fabric.run(1_000_000_000);
    assertEquals(1, fabric.counts().delivered());
    assertEquals(1, told.size());
  }

  @Test
  void anObserverThatThrowsKeepsNothingFromOthers() {
    fabric.onThrown(told::add);
    List<String> seen = new ArrayList<>();
    fabric.tap(clumsy());
    fabric.tap(new Told(seen::add));
    List<FaultAction> actions =
        List.of(
            FaultAction.DUPLICATE,
            FaultAction.of(FaultAction.Kind.CORRUPT, 1),
            FaultAction.delay(10));
    fabric.filter((from, to, buffer, at, length, n) -> actions);
    a.send(b.gid(), 0, 1, 100);
    fabric.filter((from, to, buffer, at, length, n) -> FabricFilter.DROP);
    a.send(b.gid(), 0, 1, 100);
    fabric.run(1_000_000_000);
    assertEquals(
        List.of(
            "sent",
            "duplicated",
            "corrupted",
            "corrupted",
            "delayed",
            "sent",
            "dropped",
            "delivered",
            "delivered"),
        seen);
    assertEquals(seen.size(), told.size());
    assertEquals(2, fabric.counts().delivered());
  }

  @Test
  void withoutAListenerTheThreadsUncaughtExceptionHandlerIsTold() throws InterruptedException {
    fabric.filter(
        (from, to, buffer, at, length, n) -> {
          planted.raise();
          return null;
        });
    Thread thread = new Thread(() -> a.send(b.gid(), 0, 1, 100));
    thread.setUncaughtExceptionHandler((where, thrown) -> told.add(thrown));
    thread.start();
    thread.join();
    assertEquals(List.of(planted.thrown()), told);
  }

  @Test
  void aListenerThatThrowsEndsTheCall() {
    fabric.onThrown(
        thrown -> {
          assertSame(planted.thrown(), thrown);
          planted.raise();
        });
    fabric.tap(clumsy());
    Throwable caught = assertThrows(Throwable.class, () -> a.send(b.gid(), 0, 1, 100));
    assertSame(planted.thrown(), caught);
  }
}
