package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DomainTest {
  private final Domain domain = new Domain();

  /** Queue pairs of a domain and of a domain derived from it find the same regions. */
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
