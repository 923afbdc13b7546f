package org.roce4j.fabric;

/** Which of the ports that share an address receives what is sent to it. */
public enum Steering {
  /** The one that the last bits of DestQP name; the first if the datagram is too short for that. */
  DEST_QP,

  /**
   * One and the same for all that comes from an address, drawn from the seed: as where a kernel
   * knows nothing of queue pairs.
   */
  SOURCE
}
