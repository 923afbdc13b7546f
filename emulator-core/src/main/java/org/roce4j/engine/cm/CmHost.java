package org.roce4j.engine.cm;

import java.util.random.RandomGenerator;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.time.DeadlineHeap;

/** The device of a connection manager, as the connection manager sees it. */
public interface CmHost {
  /** The GUID by which peers know the device. */
  long caGuid();

  /** The index of an address in the GID table of the port that has it, or -1. */
  int gidIndex(long high, long low);

  /** Whether the P_Key table has a partition, whatever the membership. */
  boolean hasPartition(int pkey);

  /** Random numbers for communication ids and first PSNs. */
  RandomGenerator random();

  DeadlineHeap deadlines();

  Counters counters();
}
