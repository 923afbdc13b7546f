package org.roce4j.tools.pingpong;

import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/** What differs between the transport services that ping-pong is played over. */
interface PingPongService {
  QpType qpType();

  /** The name people use. */
  String label();

  /** The C program of rdma-core that plays it. */
  String program();

  /** Bytes in front of the payload of a receive. */
  int receiveHeadroom();

  /** Whether all queue pairs of an end take their receives from one shared queue. */
  boolean sharesReceives();

  /** Whether what is lost is sent again. */
  boolean reliable();

  /** How many addresses the C program sends and wants, however many queue pairs there are. */
  default int exchangedMessages() {
    return 1;
  }

  /** What the C program's buffer is filled with at its start. */
  byte fillOfTheCProgram();

  /** The attributes of RESET to INIT. */
  QpAttr initialise();

  /** Moves the queue pair from INIT to RTS. */
  void connect(
      QueuePair qp, ExchangedAddress own, ExchangedAddress peer, int gidIndex, Traffic traffic);
}
