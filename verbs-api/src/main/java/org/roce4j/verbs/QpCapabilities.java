package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/** {@code struct ibv_qp_cap}: sizes asked for, or granted (never less). */
public record QpCapabilities(
    int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {

  /** A capability set without inline data. */
  public QpCapabilities(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge) {
    this(maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, 0);
  }

  @Override
  public String toString() {
    return Wording.of(
        "%d sends of %d elements, %d receives of %d, %d bytes inline",
        maxSendWr, maxSendSge, maxRecvWr, maxRecvSge, maxInlineData);
  }
}
