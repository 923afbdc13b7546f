package org.roce4j.verbs.cm;

import java.lang.foreign.MemorySegment;
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
    id.checkOpen();
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
    id.checkOpen();
    checkPresent(elements);
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

  static void checkPresent(Sge... elements) {
    for (int i = 0; i < RequiredArgument.check(elements, "elements").length; i++) {
      RequiredArgument.check(elements[i], "elements[" + i + "]");
    }
  }

  /** A piece of a region, or bytes that the post copies. */
  static Sge element(MemorySegment buffer, MemoryRegion mr, boolean inline) {
    if (!RequiredArgument.check(buffer, "buffer").isNative()) {
      throw Errno.EINVAL.refusal(
          "buffer lies on the heap, where memory has no address: allocate it with an Arena");
    }
    RequiredArgument.checkReadable(buffer, "buffer");
    if (buffer.byteSize() > Integer.MAX_VALUE) {
      throw Errno.EINVAL.refusal(
          "buffer is at most %d bytes, not %d", Integer.MAX_VALUE, buffer.byteSize());
    }
    int length = (int) buffer.byteSize();
    if (inline || mr == null && length == 0) {
      return new Sge(buffer.address(), length, mr == null ? 0 : mr.lkey());
    }
    if (mr == null) {
      throw Errno.EINVAL.refusal("mr is missing: only inline data needs none (SendFlags.INLINE)");
    }
    return new Sge(addressIn(mr, buffer), length, mr.lkey());
  }

  /** Where the region's key finds the buffer. */
  private static long addressIn(MemoryRegion mr, MemorySegment buffer) {
    if (mr.memory().equals(MemorySegment.NULL)) {
      return buffer.address(); // of no memory of this process, or of memory that it does not know
    }
    long offset = buffer.address() - mr.address();
    if (offset < 0 || offset > mr.length() - buffer.byteSize()) {
      throw Errno.EINVAL.refusal(
          "buffer, %d bytes at 0x%x, is no piece of mr, %d bytes at 0x%x",
          buffer.byteSize(), buffer.address(), mr.length(), mr.address());
    }
    return mr.iova() + offset;
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
