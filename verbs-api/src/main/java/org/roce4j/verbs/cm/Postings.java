package org.roce4j.verbs.cm;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;

/** A request list of each kind for the helpers that post one request; created on first use. */
final class Postings implements AutoCloseable {
  /** More elements than the queues of most devices take; 16 bytes each. */
  static final int MAX_SGE = 32;

  private final CmId id;
  private SendRequestList sends;
  private RecvRequestList receives;

  Postings(CmId id) {
    this.id = id;
  }

  /** Fills a request in. */
  interface Filling {
    void fill(SendRequestList request);
  }

  synchronized void send(Filling filling) {
    QueuePair qp = id.qp();
    if (qp == null) {
      throw new VerbsException(Errno.EINVAL, id + " has no queue pair");
    }
    if (sends == null) {
      sends = new SendRequestList(1, MAX_SGE, 0);
    }
    filling.fill(sends.clear().add());
    qp.postSendOrThrow(sends);
  }

  synchronized void receive(long wrId, Sge... elements) {
    RequiredArgument.check(elements, "elements");
    if (receives == null) {
      receives = new RecvRequestList(1, MAX_SGE);
    }
    receives.clear().add().wrId(wrId);
    for (Sge each : elements) {
      receives.sge(each.address(), each.length(), each.lkey());
    }
    SharedReceiveQueue srq = id.srq();
    QueuePair qp = id.qp();
    if (srq != null) {
      srq.postRecvOrThrow(receives);
    } else if (qp != null) {
      qp.postRecvOrThrow(receives);
    } else {
      throw new VerbsException(Errno.EINVAL, id + " has no queue pair");
    }
  }

  static Sge element(java.lang.foreign.MemorySegment buffer, MemoryRegion mr) {
    return new Sge(
        RequiredArgument.check(buffer, "buffer").address(),
        Math.toIntExact(buffer.byteSize()),
        mr == null ? 0 : mr.lkey());
  }

  @Override
  public synchronized void close() {
    if (sends != null) {
      sends.close();
      sends = null;
    }
    if (receives != null) {
      receives.close();
      receives = null;
    }
  }
}
