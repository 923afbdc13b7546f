package org.roce4j.verbs.cm;

/** How a multicast group is joined ({@code enum rdma_cm_mc_join_flags}). */
public enum JoinFlag {
  /** Sends and receives ({@code RDMA_MC_JOIN_FLAG_FULLMEMBER}). */
  FULLMEMBER,
  /** Sends only: no queue pair is attached ({@code RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER}). */
  SENDONLY_FULLMEMBER;

  /** The number that librdmacm uses. */
  public int value() {
    return ordinal();
  }
}
