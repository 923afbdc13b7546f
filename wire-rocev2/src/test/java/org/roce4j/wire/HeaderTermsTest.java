package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.roce4j.wire.HeaderTerms.State;

/** The term of headers is found for these headers alone, whatever shares their place. */
class HeaderTermsTest {
  private static final int MANY = 2_000;
  private static final int IDENTIFICATION = 0xABCD;
  private static final int FOLLOWING = 100;

  private final HeaderTerms terms = new HeaderTerms();

  private void learn(long pair, long rest, int term) {
    terms.find(pair, rest);
    assertSame(State.SEEN, terms.find(pair, rest));
    terms.learn(IDENTIFICATION, term);
    assertSame(State.KNOWN, terms.find(pair, rest));
    assertEquals(term, terms.term(IDENTIFICATION, FOLLOWING));
  }

  @Test
  void headersAreNewThenSeenThenKnown() {
    assertSame(State.NEW, terms.find(0, 0), "nothing was seen");
    learn(0, 0, 5);
    learn(-1, 7, 6);
  }

  /** The first byte of the field is in the lowest bits of a CRC. */
  @Test
  void aFieldThatNothingFollowsIsItsOwnTerm() {
    IdentificationTerms unused = new IdentificationTerms();
    assertEquals(0x0201, unused.of(0x0102, 0));
    assertEquals(0x8001, unused.of(0x0180, 0));
    assertEquals(0x0100, unused.of(1, 0), "the lowest bit, and the terms are kept");
    assertEquals(0, unused.of(0, 0));
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
        assertEquals(i, terms.term(IDENTIFICATION, FOLLOWING));
        known++;
      }
    }
    assertTrue(known > 16, () -> "others took the places of too many");
  }

  /** As the terms of all places are kept for one identification each, so are those of all bits. */
  @Test
  void theIdentificationsOfAPlaceDifferInTheTermsOfTheirBits() {
    learn(1, 7, 5);
    learn(2, 7, 6);
    int[] differences = new int[Short.SIZE];
    for (int bit = 0; bit < Short.SIZE; bit++) {
      terms.find(1, 7);
      differences[bit] = terms.term(IDENTIFICATION ^ 1 << bit, FOLLOWING) ^ 5;
    }
    assertEquals(Short.SIZE, Arrays.stream(differences).distinct().count());
    terms.find(2, 7);
    int sum = differences[0] ^ differences[3] ^ differences[15];
    assertEquals(6 ^ sum, terms.term(IDENTIFICATION ^ 0x8009, FOLLOWING));
    terms.find(1, 7);
    assertEquals(5, terms.term(IDENTIFICATION, FOLLOWING));
  }
}
