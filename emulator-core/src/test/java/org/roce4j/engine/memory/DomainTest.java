package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DomainTest {
  private final Domain domain = new Domain();

  /** Initiators of one domain and of one above it find the same regions. */
  @Test
  void aDomainAboveAnotherIsThatOneToThoseThatAsk() {
    Domain above = new Domain(new Domain(domain));
    assertSame(domain.base(), above.base());
    assertSame(domain.extended(), above.extended());
  }

  @Test
  void isInUseFromTheFirstMemberToTheLast() {
    assertFalse(domain.inUse());
    domain.joined();
    domain.joined();
    domain.left();
    assertTrue(domain.inUse());
    domain.left();
    assertFalse(domain.inUse());
  }
}
