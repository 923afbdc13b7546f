package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.roce4j.engine.Engine;
import org.roce4j.engine.trace.EngineTrace;

/** Exceptions inside a turn. */
class DutyCycleTest {
  private final PlayedDevice played = new PlayedDevice(true, 1, 1, EngineTrace.NONE);
  private final PlayedPort port = played.ports.getFirst();
  private final Engine engine = played.device.engine(0);

  /** The thread that causes it on a virtual network finds it, once. */
  @Test
  void theExceptionOfATurnIsThrownOnce() {
    DutyCycle cycle = new DutyCycle(engine, port);
    assertTrue(engine.tryTake());
    IllegalStateException defect = new IllegalStateException("of a port");
    port.whenAsked =
        () -> {
          throw defect;
        };
    assertEquals(0, cycle.run());
    assertSame(defect, engine.failure());
    assertSame(defect, assertThrows(IllegalStateException.class, cycle::throwFailure));
    cycle.throwFailure();
  }
}
