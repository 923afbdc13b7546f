package org.roce4j.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.function.Executable;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** What every test of a refused verb asserts. */
public final class Refusals {
  private Refusals() {}

  /** The verb is refused with this errno; the exception has the words. */
  public static VerbsException refused(Errno errno, Executable verb) {
    VerbsException refusal = assertThrows(VerbsException.class, verb);
    assertEquals(errno, refusal.errno(), refusal.getMessage());
    return refusal;
  }
}
