package org.roce4j.wire.view;

import java.util.List;
import java.util.Set;

/**
 * What was recorded of programs beside a capture: requests that they posted, completions that they
 * polled.
 *
 * @param name of the file
 * @param requests in the order of time
 * @param whole queue pairs whose making was recorded: of these it holds the first request
 */
public record Recording(String name, List<Request> requests, Set<Integer> whole) {
  /** Copies. */
  public Recording {
    requests = List.copyOf(requests);
    whole = Set.copyOf(whole);
  }

  /**
   * A request or a completion.
   *
   * @param atNs nanoseconds since 1970, by a clock of its own
   * @param operation {@code SEND}, {@code RECV} and so on; of a completion it may be empty
   * @param status empty: it was posted; else the status of the completion
   * @param bytes of data, 0 where nobody tells
   */
  public record Request(
      long atNs, int queuePair, long wrId, String operation, String status, long bytes) {
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

    /** A few words. */
    String text() {
      return isPosted() || succeeded() ? operation : status;
    }

    /**
     * All of it.
     *
     * @param count how many like this
     */
    String whole(int count) {
      String what = operation.isEmpty() ? "completion" : operation;
      String times = count == 1 ? what : count + " times " + what;
      String size =
          bytes == 0 ? "" : ", %d bytes".formatted(bytes) + (count == 1 ? "" : " the first");
      return (isPosted() ? "posted " + times : "polled " + times + " with status " + status) + size;
    }
  }
}
