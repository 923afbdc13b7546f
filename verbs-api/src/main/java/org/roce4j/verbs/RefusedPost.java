package org.roce4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.text.Wording;

/**
 * The message for a refused post or poll: the refused request is checked once more, in the order of
 * posting. Posting itself makes no message and allocates nothing; this does both, on request.
 */
final class RefusedPost {
  private static final long UNREADABLE = -1;

  private final String queue;
  private final Errno errno;
  private final int number;
  private final int index;

  /**
   * @param queue the name of the queue that refused
   * @param result of posting
   */
  RefusedPost(String queue, long result) {
    this.queue = queue;
    this.number = PostResult.errno(result);
    this.errno = Errno.of(number);
    this.index = Math.max(0, PostResult.badIndex(result));
  }

  /** The errno as an exception needs one; a number that Linux does not have counts as EIO. */
  static Errno errno(int number) {
    Errno known = Errno.of(number);
    return known == null ? Errno.EIO : known;
  }

  /** Why a completion queue gave an errno instead of completions. */
  static VerbsException poll(CompletionQueue cq, int number) {
    Errno errno = errno(number);
    String why =
        switch (errno) {
          case EIO ->
              "it overflowed and lost a completion, its queue pairs are in ERR: make a larger"
                  + " queue, or poll it sooner";
          case EINVAL -> "it was destroyed: make another";
          case EFAULT -> "the array of completions was freed, or belongs to another thread";
          default -> "the device failed: " + errno.text();
        };
    return new VerbsException(errno, cq.describe() + ": " + why);
  }

  /** Why a send was refused. */
  static String send(QueuePair qp, MemorySegment view, long firstWr, long result) {
    RefusedPost post = new RefusedPost(qp.describe(), result);
    if (post.number == 0) {
      return post.nothing();
    }
    long at = post.locate(view, firstWr, SendWrLayout.NEXT);
    if (at == UNREADABLE || post.errno == Errno.EFAULT) {
      return post.sentence("", outside(view));
    }
    RefusedSend request = new RefusedSend(qp, view, at);
    return post.sentence(
        request.describe(),
        switch (post.errno) {
          case ENOMEM ->
              full("send queue", qp.cap().maxSendWr(), "max_send_wr")
                  + "; an unsignaled request frees its place when a later signaled one completes";
          case EINVAL -> request.why();
          case null, default -> null;
        });
  }

  /** Why a receive was refused by a queue pair. */
  static String receive(QueuePair qp, MemorySegment view, long firstWr, long result) {
    RefusedPost post = new RefusedPost(qp.describe(), result);
    return post.receive(
        view, firstWr, qp.cap().maxRecvWr(), "max_recv_wr", qp.cap().maxRecvSge(), whyNone(qp));
  }

  /** Why a receive was refused by a shared receive queue. */
  static String receive(SharedReceiveQueue srq, MemorySegment view, long firstWr, long result) {
    RefusedPost post = new RefusedPost(srq.describe(), result);
    try {
      SrqAttr attr = srq.query();
      return post.receive(view, firstWr, attr.maxWr(), "max_wr", attr.maxSge(), null);
    } catch (VerbsException e) {
      return post.sentence("", e.remedy());
    }
  }

  /** Why a queue pair takes no receive at all; null: it does. */
  private static String whyNone(QueuePair qp) {
    if (qp.qpType() == QpType.XRC_RECV || qp.qpType() == QpType.XRC_SEND) {
      return "an XRC queue pair takes no receive: post it to a shared receive queue of type XRC";
    }
    if (qp.srq() != null) {
      return "it takes its receives from a shared receive queue: post them there (qp.srq())";
    }
    try {
      return qp.state() == QpState.RESET
          ? "a queue pair in RESET takes no request: modify it to INIT first"
          : null;
    } catch (VerbsException e) {
      return e.remedy();
    }
  }

  private String receive(
      MemorySegment view, long firstWr, int room, String roomName, int maxSge, String none) {
    if (number == 0) {
      return nothing();
    }
    if (none != null) {
      return sentence("", none);
    }
    long at = locate(view, firstWr, RecvWrLayout.NEXT);
    if (at == UNREADABLE || errno == Errno.EFAULT) {
      return sentence("", outside(view));
    }
    int count = RecvWrLayout.numSge(view, at);
    String why =
        switch (errno) {
          case ENOMEM -> full("receive queue", room, roomName);
          case EINVAL -> count < 0 || count > maxSge ? elements(count, maxSge, "recv") : null;
          case null, default -> null;
        };
    return sentence(" (wr_id " + RecvWrLayout.wrId(view, at) + ")", why);
  }

  static String elements(int count, int most, String side) {
    return Wording.of(
        "%d scatter/gather elements, but the queue takes %d: ask for more when it is made"
            + " (max_%s_sge)",
        count, most, side);
  }

  private static String full(String queue, int room, String limit) {
    return Wording.of(
        "the %s is full with %d requests: poll completions first, or ask for a larger %s",
        queue, room, limit);
  }

  /** Why a list cannot be read. */
  private static String outside(MemorySegment view) {
    if (!view.isNative()) {
      return "the list lies on the heap, where memory has no address: make it with an Arena";
    }
    if (!view.scope().isAlive()) {
      return "the memory of the list was freed: make another list";
    }
    if (!view.isAccessibleBy(Thread.currentThread())) {
      return "the memory of the list belongs to another thread: make it with Arena.ofShared()";
    }
    return "a request or its elements are not in the memory of the list, or inline data is where"
        + " this process has no memory: give the memory that holds all of them, and absolute"
        + " addresses";
  }

  /** The offset of the refused request. */
  private long locate(MemorySegment view, long firstWr, int next) {
    try {
      long at = firstWr - view.address();
      for (int i = 0; i < index; i++) {
        at = view.get(JAVA_LONG_UNALIGNED, at + next) - view.address();
      }
      RecvWrLayout.numSge(view, at);
      return at;
    } catch (IndexOutOfBoundsException
        | IllegalStateException
        | WrongThreadException
        | UnsupportedOperationException e) {
      return UNREADABLE;
    }
  }

  private String nothing() {
    return queue + ": every request was posted";
  }

  private String sentence(String request, String why) {
    String known =
        why != null
            ? why
            : "the device refused it with "
                + (errno == null ? "errno " + number : errno + " (" + errno.text() + ")")
                + "; at present no rule of posting forbids it";
    return Wording.of("%s, request %d%s: %s", queue, index, request, known);
  }
}
