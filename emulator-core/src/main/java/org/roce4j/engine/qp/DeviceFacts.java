package org.roce4j.engine.qp;

import org.roce4j.verbs.Gid;

/** What a queue pair reads of its device: tables and limits that no packet changes. */
public interface DeviceFacts {
  /** The GID at that index of a port's table, zero where there is none. */
  Gid gid(int port, int index);

  /** How many ports it has; they count from 1. */
  int ports();

  /** The port that has an address, or 0. */
  int portOf(long high, long low);

  /** The GUID by which peers know the device. */
  long guid();

  /** The index of an address in the GID table of the port that has it, or -1. */
  int gidIndex(long high, long low);

  /** The P_Key at that index of the table, 0 where there is none. */
  int pkey(int index);

  int pkeyTableLength();

  /** READ and atomic requests that may be outstanding per queue pair, either way. */
  int maxRdAtomic();

  /** A requester probes for loss while at most this many timers run; 0: never. */
  int maxProbingQp();

  /**
   * A requester probes for loss while at least this many packets are in flight; 0: always, and for
   * READ requests as well.
   */
  int leastProbedPackets();

  /** Small requests of a queue pair that may wait for one another; 0: none. */
  int maxHeldRequests();

  /** Bytes of the port's active MTU. */
  int portMtu();
}
