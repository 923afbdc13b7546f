package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/** {@code struct ibv_srq_attr}; the limit reads 0 once its event has fired. */
public record SrqAttr(int maxWr, int maxSge, int limit) {
  @Override
  public String toString() {
    return Wording.of("%d requests of %d elements, limit %d", maxWr, maxSge, limit);
  }
}
