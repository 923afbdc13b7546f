package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Which registration holds after a change that failed. */
class ReregistrationExceptionTest {
  @Test
  void aRefusedArgumentLeavesTheRegionAsItWas() {
    ReregistrationException e =
        assertThrows(
            ReregistrationException.class,
            () ->
                ReregistrationException.input(
                    () -> {
                      throw Errno.EFAULT.refusal("no such memory");
                    }));
    assertEquals(ReregError.INPUT, e.error());
    assertEquals(Errno.EFAULT, e.errno());
  }

  @Test
  void anUnknownErrorLeavesNoValidRegion() {
    assertEquals(ReregError.CMD, ReregError.of(-99));
    for (ReregError each : ReregError.values()) {
      assertEquals(each, ReregError.of(each.value()));
    }
  }
}
