package org.roce4j.engine.qp;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.AddressVector;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.EventType;

/** What a queue pair needs of the engine it lives in. */
public interface QpHost {
  DeadlineHeap deadlines();

  Counters counters();

  EngineTrace trace();

  /** The canonical path of an address vector, or null if its GID index names no address of ours. */
  Path path(AddressVector to);

  /** The P_Key at that index of the table. */
  int pkey(int index);

  int pkeyTableLength();

  /** READs and atomics that may be outstanding per queue pair, either way. */
  int maxRdAtomic();

  /** With up to so many timers a requester probes for loss; 0: never. */
  int maxProbingQp();

  /** With so many packets in flight at least; 0: always, and READs too. */
  int leastProbedPackets();

  /** Bytes of the port's active MTU. */
  int portMtu();

  /**
   * Nothing of the queue pair is in flight any more and it no longer waits for its path: those that
   * wait may have its room.
   */
  void leavePath(QpMachine qp);

  /** The queue pair may have something to send. */
  void activate(QpMachine qp);

  /**
   * How long an acknowledgement may wait after a reply that is sent now, nanoseconds; 0: not at
   * all.
   */
  long ackPatienceNs();

  /** The queue pair holds an acknowledgement back until its {@link AckPatience} is over. */
  void ackHeld(QpMachine qp);

  /** Raises an asynchronous event for the queue pair. */
  void event(QpMachine qp, EventType type);
}
