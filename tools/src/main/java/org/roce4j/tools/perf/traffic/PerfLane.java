package org.roce4j.tools.perf.traffic;

import org.roce4j.tools.perf.exchange.QueuePairKey;
import org.roce4j.tools.side.Lane;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;

/** A queue pair and its part of the round. */
final class PerfLane extends Lane<QueuePairKey> {
  /** The requests to post, by place; without and with a completion. */
  SendRequestList[] quiet;

  SendRequestList[] signaled;

  /** Messages of the round, posted and known to have completed. */
  long posted;

  long completed;

  /** Messages received in the round, and receives posted since the beginning. */
  long received;

  long receivesPosted;

  /** Messages of all rounds before this one. */
  long before;

  /** A ring of the times at which requests with a completion were posted, and their number. */
  long[] postedNs;

  int timesPut;
  int timesTaken;
  boolean ready;

  PerfLane(int index, QueuePair qp, QueuePairKey own) {
    super(index, qp, own);
  }

  void beginRound(long done) {
    before += done;
    posted = 0;
    completed = 0;
    received = 0;
    timesPut = 0;
    timesTaken = 0;
  }
}
