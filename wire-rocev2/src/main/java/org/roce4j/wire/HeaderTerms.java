package org.roce4j.wire;

/**
 * What the headers before the BTH add to an ICRC, for recent combinations of headers, which may
 * differ in the IPv4 identification. A CRC is linear: of two packets with equal length and equal
 * headers, the ICRC and the CRC-32 of BTH and payload alone differ by the same number, the term of
 * the headers. If it is known, no header is written and only one CRC is computed: a small packet
 * takes half the time.
 *
 * <p>A term is learned when its headers are seen a second time, so that packets that all differ in
 * length cost nothing more. The table is direct-mapped and never grows. Not thread-safe.
 */
final class HeaderTerms {
  /** What is known of headers. */
  enum State {
    /** They were not the last ones in their place; they are now. */
    NEW,
    /** They are those seen last in their place; {@link #learn} may be called. */
    SEEN,
    /** {@link #term} is their term. */
    KNOWN
  }

  private static final int SLOTS = 256;

  private final long[] addresses = new long[SLOTS];
  private final long[] fields = new long[SLOTS];

  /** The term of each place, for the identification beside it. */
  private final int[] terms = new int[SLOTS];

  private final int[] identifications = new int[SLOTS];

  /** Null: nothing was seen in this place. */
  private final State[] states = new State[SLOTS];

  private final IdentificationTerms ofIdentification = new IdentificationTerms();

  /** The place of the headers that were searched last. */
  private int slot;

  /**
   * Searches for headers.
   *
   * @param pair source and destination address
   * @param rest ports and length
   */
  State find(long pair, long rest) {
    long mixed = (pair ^ rest) * 0x9E3779B97F4A7C15L;
    slot = (int) (mixed >>> 56);
    if (addresses[slot] == pair && fields[slot] == rest && states[slot] != null) {
      return states[slot];
    }
    addresses[slot] = pair;
    fields[slot] = rest;
    states[slot] = State.SEEN;
    return State.NEW;
  }

  /** Stores the term of the headers that were searched last, with an identification. */
  void learn(int identification, int term) {
    identifications[slot] = identification;
    terms[slot] = term;
    states[slot] = State.KNOWN;
  }

  /**
   * The term of the headers that were searched last, with an identification.
   *
   * @param following number of bytes between the identification and the ICRC
   */
  int term(int identification, int following) {
    int changed = identifications[slot] ^ identification;
    if (changed != 0) {
      identifications[slot] = identification;
      terms[slot] ^= ofIdentification.of(changed, following);
    }
    return terms[slot];
  }
}
