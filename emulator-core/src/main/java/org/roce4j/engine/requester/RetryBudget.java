package org.roce4j.engine.requester;

/**
 * retry_cnt and rnr_retry with the retries left of each (R8). 7 in retry_cnt means seven retries, 7
 * in rnr_retry means retries without limit. Any progress reloads both.
 */
final class RetryBudget {
  private static final int ENDLESS = 7;

  /** retry_cnt, 0..7. */
  private int retryCount;

  /** rnr_retry, 0..7. */
  private int rnrRetry;

  /** Retries left until RETRY_EXC_ERR. */
  private int retriesLeft;

  /** RNR retries left until RNR_RETRY_EXC_ERR. */
  private int rnrRetriesLeft;

  void retryCount(int retries) {
    retryCount = retries;
    retriesLeft = retries;
  }

  void rnrRetry(int retries) {
    rnrRetry = retries;
    rnrRetriesLeft = retries;
  }

  int retryCount() {
    return retryCount;
  }

  int rnrRetry() {
    return rnrRetry;
  }

  int retriesLeft() {
    return retriesLeft;
  }

  int rnrRetriesLeft() {
    return rnrRetriesLeft;
  }

  void reload() {
    retriesLeft = retryCount;
    rnrRetriesLeft = rnrRetry;
  }

  /** Takes a retry for a timeout or a hint of loss; false if none was left. */
  boolean takeRetry() {
    if (retriesLeft == 0) {
      return false;
    }
    retriesLeft--;
    return true;
  }

  /** Takes a retry for an RNR NAK; false if none was left. */
  boolean takeRnrRetry() {
    if (rnrRetry == ENDLESS) {
      return true;
    }
    if (rnrRetriesLeft == 0) {
      return false;
    }
    rnrRetriesLeft--;
    return true;
  }
}
