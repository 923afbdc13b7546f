package org.roce4j.engine.cm;

import java.util.random.RandomGenerator;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.time.DeadlineHeap;

/** What the connection manager needs of the device it lives in. */
public interface CmHost {
  /** The GUID by which peers know the device. */
  long caGuid();

  /** The index of one of its addresses in the GID table of the port that has it, or -1. */
  int gidIndex(long high, long low);

  /** Source of communication ids and first PSNs. */
  RandomGenerator random();

  DeadlineHeap deadlines();

  Counters counters();
}
