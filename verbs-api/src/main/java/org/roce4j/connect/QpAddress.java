package org.roce4j.connect;

import org.roce4j.verbs.Gid;

/** What one side tells the other of a queue pair, so that both can connect. */
public interface QpAddress {
  /** Queue pair number, 24 bits. */
  int qpn();

  /** The first PSN that this queue pair sends, 24 bits. */
  int psn();

  /** The address of its device. */
  Gid gid();

  /** READs and ATOMICs that the peer may have outstanding. */
  default int outReads() {
    return 1;
  }
}
