package org.roce4j.fabric;

/** What takes part in virtual time: a port and the node that has its turns. */
abstract class Participant {
  /** Null: nobody has registered one. */
  Node node;

  /** Whether the node is due a turn before the clock moves on. */
  boolean attention;

  /** Datagrams that have arrived and wait to be received. */
  abstract int waiting();
}
