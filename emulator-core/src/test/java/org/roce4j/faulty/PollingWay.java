package org.roce4j.faulty;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;

/** Each way to poll. */
enum PollingWay {
  COMPLETIONS,
  AT_MOST,
  MEMORY,
  OR_THROW,
  /** A queue that could be read in place is polled. */
  EXTENDED_POLLED,
  EXTENDED,
  /** Only the first completion is read, and the rest the next time. */
  EXTENDED_SINGLY;

  boolean isExtended() {
    return name().startsWith("EXTENDED");
  }

  /** Polls; returns completions such as {@code 7 SUCCESS}, or an errno. */
  List<String> poll(CompletionQueue cq) {
    List<String> seen = new ArrayList<>();
    if (this == EXTENDED || this == EXTENDED_SINGLY) {
      read((ExtendedCompletionQueue) cq, seen);
      return seen;
    }
    try (WorkCompletions completions = new WorkCompletions(8)) {
      int count =
          switch (this) {
            case AT_MOST -> cq.poll(completions, 8);
            case MEMORY -> cq.poll(completions.memory(), completions.address(), 8);
            case OR_THROW -> orThrow(cq, completions);
            default -> cq.poll(completions);
          };
      for (int i = 0; i < count; i++) {
        seen.add(completions.wrId(i) + " " + completions.status(i));
      }
      if (count < 0) {
        seen.add(Errno.of(-count).name());
      }
    }
    return seen;
  }

  private static int orThrow(CompletionQueue cq, WorkCompletions completions) {
    try {
      return cq.pollOrThrow(completions);
    } catch (VerbsException e) {
      return -e.errno().number();
    }
  }

  private void read(ExtendedCompletionQueue cq, List<String> seen) {
    int errno = cq.startPoll();
    while (errno == 0) {
      boolean more = true;
      while (more) {
        seen.add(cq.wrId() + " " + cq.status());
        more = this == EXTENDED && cq.nextPoll() == 0;
      }
      cq.endPoll();
      errno = cq.startPoll();
    }
    if (errno != Errno.ENOENT.number() && seen.isEmpty()) {
      seen.add(Errno.of(errno).name());
    }
  }
}
