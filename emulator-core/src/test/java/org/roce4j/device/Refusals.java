package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.function.Executable;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The common assertion of tests of refused verbs. */
public final class Refusals {
  private Refusals() {}

  /** The verb must be refused with this errno; returns the exception with the words. */
  public static VerbsException refused(Errno errno, Executable verb) {
    VerbsException refusal = assertThrows(VerbsException.class, verb);
    assertEquals(errno, refusal.errno(), refusal.getMessage());
    return refusal;
  }
}
