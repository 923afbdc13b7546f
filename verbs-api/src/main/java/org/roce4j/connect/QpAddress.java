package org.roce4j.connect;

import org.roce4j.verbs.Gid;

/** The address of a queue pair, which both sides exchange before they connect. */
public interface QpAddress {
  /** Queue pair number, 24 bits. */
  int qpn();

  /** The first PSN that this queue pair sends, 24 bits. */
  int psn();

  /** The GID of its device. */
  Gid gid();

  /** The number of READs and atomics that this queue pair lets its peer have outstanding. */
  default int outReads() {
    return 1;
  }
}
