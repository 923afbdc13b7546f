package org.roce4j.engine.qp;

import org.roce4j.verbs.Gid;
import org.roce4j.wire.PKey;

/** The tables and limits of a device that its queue pairs read. No packet changes them. */
public interface DeviceFacts {
  /** The GID at an index of a port's table; zero if there is none. */
  Gid gid(int port, int index);

  /** The number of ports, which are numbered from 1. */
  int ports();

  /** The number of the port that has an address, or 0. */
  int portOf(long high, long low);

  /** The GUID by which peers know the device. */
  long guid();

  /** The index of an address in the GID table of the port that has it, or -1. */
  int gidIndex(long high, long low);

  /** The P_Key at an index of the table; 0 if there is none. */
  int pkey(int index);

  int pkeyTableLength();

  /**
   * The index of a partition, first as a full member of it; -1 if the table does not have it
   * ({@code ib_find_cached_pkey}).
   */
  default int partitionIndex(int pkey) {
    int found = -1;
    for (int i = pkeyTableLength() - 1; i >= 0; i--) {
      boolean better = found < 0 || PKey.isFullMember(pkey(i)) || !PKey.isFullMember(pkey(found));
      if (PKey.samePartition(pkey, pkey(i)) && better) {
        found = i;
      }
    }
    return found;
  }

  /**
   * The greatest number of outstanding READ and atomic requests of a queue pair, in each direction.
   */
  int maxRdAtomic();

  /** A requester probes for loss while at most this many timers run; 0: never. */
  int maxProbingQp();

  /**
   * A requester probes for loss while at least this many packets are in flight; 0: always, and for
   * READ requests as well.
   */
  int leastProbedPackets();

  /** The greatest number of small requests of a queue pair that may be held; 0: none. */
  int maxHeldRequests();

  /** The port's active MTU in bytes. */
  int portMtu();
}
