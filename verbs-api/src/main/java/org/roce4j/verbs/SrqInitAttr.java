package org.roce4j.verbs;

/**
 * {@code struct ibv_srq_init_attr}.
 *
 * @param maxWr requests it must hold, at least 1
 * @param maxSge scatter entries per request
 * @param limit armed limit, 0 for none
 */
public record SrqInitAttr(Object userContext, int maxWr, int maxSge, int limit) {
  public SrqInitAttr(int maxWr, int maxSge) {
    this(null, maxWr, maxSge, 0);
  }
}
