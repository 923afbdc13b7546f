package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.roce4j.wire.HeaderTerms.State;

/** The term of headers is found for these headers alone, whatever shares their place. */
class HeaderTermsTest {
  private static final int MANY = 2_000;

  private final HeaderTerms terms = new HeaderTerms();

  private void learn(long pair, long rest, int term) {
    terms.find(pair, rest);
    assertSame(State.SEEN, terms.find(pair, rest));
    terms.learn(term);
    assertSame(State.KNOWN, terms.find(pair, rest));
    assertEquals(term, terms.term());
  }

  @Test
  void headersAreNewThenSeenThenKnown() {
    assertSame(State.NEW, terms.find(0, 0), "nothing was seen");
    learn(0, 0, 5);
    learn(-1, 7, 6);
  }

  @Test
  void otherAddressesWithTheSamePortsAndLengthAreOtherHeaders() {
    learn(0, 7, 5);
    for (long pair = 1; pair < MANY; pair++) {
      assertSame(State.NEW, terms.find(pair, 7));
    }
  }

  @Test
  void otherPortsOrLengthsBetweenTheSameAddressesAreOtherHeaders() {
    learn(7, 0, 5);
    for (long rest = 1; rest < MANY; rest++) {
      assertSame(State.NEW, terms.find(7, rest));
    }
  }

  @Test
  void mostOfAFewHeadersStayKnownWithTheirOwnTerms() {
    for (int i = 0; i < 32; i++) {
      learn(i, 7, i);
    }
    int known = 0;
    for (int i = 0; i < 32; i++) {
      if (terms.find(i, 7) == State.KNOWN) {
        assertEquals(i, terms.term());
        known++;
      }
    }
    assertTrue(known > 16, () -> "others took the places of too many");
  }
}
