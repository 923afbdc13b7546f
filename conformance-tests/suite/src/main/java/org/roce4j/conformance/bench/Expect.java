package org.roce4j.conformance.bench;

import java.util.Objects;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** What must hold; otherwise the row fails with what was found. */
public final class Expect {
  private Expect() {}

  /** The claim holds. */
  public static void that(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  /** The specification's value was found. */
  public static void equal(String what, Object specified, Object found) {
    if (!Objects.equals(specified, found)) {
      throw new AssertionError(what + " is " + found + ", the specification says " + specified);
    }
  }

  /** The verb is refused with this errno; the exception has the words. */
  public static VerbsException refused(Errno errno, Runnable verb) {
    try {
      verb.run();
    } catch (VerbsException e) {
      if (e.errno() != errno) {
        throw new AssertionError(
            "refused with " + e.errno() + " (" + e.remedy() + "), the specification says " + errno,
            e);
      }
      return e;
    }
    throw new AssertionError("accepted, the specification says " + errno);
  }

  /** Posting gives this errno; null: it succeeds. */
  public static void posted(Errno specified, int errno) {
    equal("the errno of posting", specified == null ? 0 : specified.number(), errno);
  }
}
