package org.roce4j.device;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.WrOpcode;

/** Why a batch of work requests is not posted: the first wrong call of its builder. */
final class BatchRefusal {
  private Errno errno;
  private String words;
  private WrOpcode operation;
  private int index;
  private long wrId;

  /** A new batch, with nothing wrong. */
  void clear() {
    errno = null;
  }

  /** Whether anything is wrong. */
  boolean stands() {
    return errno != null;
  }

  /** 0: nothing is wrong. */
  int number() {
    return errno == null ? 0 : errno.number();
  }

  /**
   * Only the first wrong call counts.
   *
   * @param operation of the request that the call was for; null: for none
   * @param index of that request in the batch
   */
  void because(Errno errno, String words, WrOpcode operation, int index, long wrId) {
    if (this.errno == null) {
      this.errno = errno;
      this.words = words;
      this.operation = operation;
      this.index = index;
      this.wrId = wrId;
    }
  }

  /** The request and what is wrong with it, for people; empty: nothing. */
  String describe() {
    if (errno == null) {
      return "";
    }
    return operation == null
        ? "the batch: " + words
        : "request %d (wr_id %d, %s): %s".formatted(index, wrId, operation, words);
  }
}
