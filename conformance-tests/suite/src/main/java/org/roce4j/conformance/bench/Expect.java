package org.roce4j.conformance.bench;

import java.util.Objects;
import java.util.function.Supplier;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;

/**
 * The checks of the rows: a check that fails ends its row with the finding. The checks of a thread
 * are counted, so that a row that makes fewer checks than before is noticed.
 */
public final class Expect {
  private static final ThreadLocal<Long> MADE = ThreadLocal.withInitial(() -> 0L);

  private Expect() {}

  /** How many checks this thread has made; a row's own are the growth while it runs. */
  public static long made() {
    return MADE.get();
  }

  /** The claim holds. */
  public static void that(boolean holds, String otherwise) {
    that(holds, () -> otherwise);
  }

  /** Checks a claim; the text of the finding is made only if the claim does not hold. */
  public static void that(boolean holds, Supplier<String> otherwise) {
    MADE.set(made() + 1);
    if (!holds) {
      throw new AssertionError(otherwise.get());
    }
  }

  /** The specification's value was found. */
  public static void equal(String what, Object specified, Object found) {
    that(
        Objects.equals(specified, found),
        () -> what + " is " + found + ", the specification says " + specified);
  }

  /** The verb is refused with this errno; the exception has the words. */
  public static VerbsException refused(Errno errno, Runnable verb) {
    MADE.set(made() + 1);
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

  /** The verb succeeds; a refusal is thrown on. */
  public static void accepted(Runnable verb) {
    MADE.set(made() + 1);
    verb.run();
  }

  /** Posting gives this errno; null: it succeeds. */
  public static void posted(Errno specified, int errno) {
    equal("the errno of posting", specified == null ? 0 : specified.number(), errno);
  }

  /** The request is posted. */
  public static void posts(QueuePair qp, SendRequestList request) {
    posted(null, qp.postSend(request));
  }

  /** The receive is posted. */
  public static void posts(QueuePair qp, RecvRequestList receive) {
    posted(null, qp.postRecv(receive));
  }

  /** The receive is posted. */
  public static void posts(SharedReceiveQueue srq, RecvRequestList receive) {
    posted(null, srq.postRecv(receive));
  }
}
