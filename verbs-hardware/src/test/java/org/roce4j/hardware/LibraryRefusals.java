package org.roce4j.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.function.Executable;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The assertion of every test of a refused verb. */
public final class LibraryRefusals {
  private LibraryRefusals() {}

  /** Fails unless the verb is refused with this errno and the message contains the words. */
  public static VerbsException refused(Errno errno, Executable verb) {
    VerbsException refusal = assertThrows(VerbsException.class, verb);
    assertEquals(errno, refusal.errno(), refusal.getMessage());
    return refusal;
  }
}
