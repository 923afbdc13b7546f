package org.roce4j.fabric;

/** Chooses the receiving port among those that share an address. */
public enum Steering {
  /**
   * The low bits of DestQP are the port's index; a datagram too short for a BTH goes to the first.
   */
  DEST_QP,

  /**
   * All datagrams from one address go to the same port, drawn from the seed, as in a kernel that
   * does not look at queue pairs.
   */
  SOURCE
}
