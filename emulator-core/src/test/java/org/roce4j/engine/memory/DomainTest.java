package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DomainTest {
  private final Domain domain = new Domain();

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
