package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_srq_init_attr}.
 *
 * @param maxWr requests it must hold, at least 1
 * @param maxSge scatter entries per request; the manuals begin at 1, devices take 0, for messages
 *     without bytes
 * @param limit ignored, as in {@code ibv_create_srq}: a new queue is not armed. {@link
 *     SharedReceiveQueue#modify} arms it
 */
public record SrqInitAttr(Object userContext, int maxWr, int maxSge, int limit) {
  /** Sizes alone: no user context. */
  public SrqInitAttr(int maxWr, int maxSge) {
    this(null, maxWr, maxSge, 0);
  }

  @Override
  public String toString() {
    return Wording.of("%d requests of %d elements", maxWr, maxSge);
  }
}
