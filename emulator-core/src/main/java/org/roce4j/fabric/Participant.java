package org.roce4j.fabric;

/** A port in virtual time, and the node that drives it. */
abstract class Participant {
  /** The registered node; null: none. */
  Node node;

  /** Whether the node must take a turn before the clock advances. */
  boolean attention;

  /** The number of datagrams waiting to be received. */
  abstract int waiting();
}
