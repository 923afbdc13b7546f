package org.roce4j.wire.view;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Requests that programs posted, completions that they polled and states of their queue pairs,
 * recorded at the time of a capture.
 *
 * @param name name of the file
 * @param entries all of them, in the order of time
 * @param whole queue pairs whose creation was recorded, so that the recording has their first
 *     request
 */
public record Recording(String name, List<Entry> entries, Set<Integer> whole) {
  /** Copies the collections. */
  public Recording {
    entries = List.copyOf(entries);
    whole = Set.copyOf(whole);
  }

  /** The requests and completions among the entries. */
  List<Request> requests() {
    return entries.stream().filter(Request.class::isInstance).map(Request.class::cast).toList();
  }

  /** The recorded data of one queue pair at one moment. */
  public sealed interface Entry {
    /** Nanoseconds since 1970, by a clock of its own. */
    long atNs();

    /** The number of the queue pair. */
    int queuePair();
  }

  /**
   * A queue pair changed its state.
   *
   * @param from {@code RESET}, {@code INIT} and so on
   */
  public record StateChange(long atNs, int queuePair, String from, String to) implements Entry {}

  /**
   * A request or a completion.
   *
   * @param atNs nanoseconds since 1970, by a clock of its own
   * @param operation {@code SEND}, {@code RECV} and so on; a completion's may be empty
   * @param status the completion's status; empty for a request that was posted
   * @param bytes length of the data; 0 if unknown
   */
  public record Request(
      long atNs, int queuePair, long wrId, String operation, String status, long bytes)
      implements Entry {
    boolean isPosted() {
      return status.isEmpty();
    }

    boolean isReceive() {
      return operation.startsWith("RECV");
    }

    boolean succeeded() {
      return status.equals("SUCCESS");
    }

    EndEvent.Kind kind() {
      return isPosted()
          ? EndEvent.Kind.POSTED
          : succeeded() ? EndEvent.Kind.COMPLETED : EndEvent.Kind.FAILED;
    }

    /** A short description. */
    String text() {
      return isPosted() || succeeded() ? operation : status;
    }

    /**
     * The full description.
     *
     * @param count number of equal requests that it describes
     */
    String whole(int count) {
      String what = operation.isEmpty() ? "completion" : operation;
      String times = count == 1 ? what : String.format(Locale.ROOT, "%,d times %s", count, what);
      String size =
          bytes == 0
              ? ""
              : String.format(Locale.ROOT, ", %,d bytes", bytes) + (count == 1 ? "" : " the first");
      return (isPosted() ? "posted " + times : "polled " + times + " with status " + status) + size;
    }
  }
}
