package org.roce4j.connect;

import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.text.Wording;

/**
 * Explains completions in error, and says what to do. The first failure moves the queue pair to
 * ERR; the failures of requests flushed then refer to the first. Thread-safe.
 */
final class Failures {
  private final int messageBytes;
  private volatile String peer = "the peer";
  private volatile FailedRequestException first;
  private volatile boolean closed;

  Failures(int messageBytes) {
    this.messageBytes = messageBytes;
  }

  /** Sets the peer's name in messages. */
  void peer(String name) {
    peer = name;
  }

  String peer() {
    return peer;
  }

  /** Notes that the program has closed the end, so that flushed requests are no failures. */
  void closed() {
    closed = true;
  }

  /**
   * The exception for a completion in error.
   *
   * @param found the completion in error, at index 0
   * @param what the request, such as {@code SEND of 5 bytes}
   */
  VerbsException failure(CompletionQueue cq, WorkCompletions found, String what) {
    WcStatus status = found.status(0);
    if (closed) {
      return alreadyClosed();
    }
    if (status == WcStatus.WR_FLUSH_ERR && first != null) {
      return new FailedRequestException(
          first.errno(), status, "the connection is broken since: " + first.remedy());
    }
    FailedRequestException failure =
        new FailedRequestException(
            errno(status),
            status,
            what
                + " failed with "
                + status
                + ": "
                + remedy(status)
                + " ("
                + reason(cq, found)
                + ")");
    first = failure;
    return failure;
  }

  /** The device's explanation of the failure, without the completion's fields. */
  private static String reason(CompletionQueue cq, WorkCompletions found) {
    String why = cq.whyFailed(found, 0);
    String fields = found.toString(0) + ": ";
    return why.startsWith(fields) ? why.substring(fields.length()) : why;
  }

  /** Throws ENOTCONN if the end is closed. The caller holds the lock of its half. */
  void checkOpen() {
    if (closed) {
      throw alreadyClosed();
    }
  }

  static VerbsException alreadyClosed() {
    return Errno.ENOTCONN.refusal(
        "this end is closed: open another, or close it after its last call");
  }

  private static Errno errno(WcStatus status) {
    return switch (status) {
      case RETRY_EXC_ERR -> Errno.ETIMEDOUT;
      case RNR_RETRY_EXC_ERR -> Errno.ENOBUFS;
      case REM_ACCESS_ERR -> Errno.EACCES;
      case LOC_LEN_ERR -> Errno.EMSGSIZE;
      case REM_INV_REQ_ERR, REM_OP_ERR -> Errno.EREMOTEIO;
      case WR_FLUSH_ERR -> Errno.ENOTCONN;
      case LOC_PROT_ERR -> Errno.EFAULT;
      case null, default -> Errno.EIO;
    };
  }

  private String remedy(WcStatus status) {
    return switch (status) {
      case RETRY_EXC_ERR ->
          peer
              + " does not answer; has its program ended or closed its end, or is UDP port 4791"
              + " blocked on the way?";
      case RNR_RETRY_EXC_ERR ->
          peer + " has no receive posted; its program must receive, or keep more posted";
      case REM_ACCESS_ERR ->
          peer
              + " refused access to that memory; was its buffer closed, or is the key from an"
              + " earlier run? Exchange a new RemoteBuffer";
      case LOC_LEN_ERR ->
          Wording.of(
              "%s sent a message of more than the %d bytes that this end receives; give both ends"
                  + " the same messageBytes",
              peer, messageBytes);
      case REM_INV_REQ_ERR ->
          peer
              + " cannot receive it: its receives are shorter than the message, or its path MTU"
              + " differs; give both ends the same messageBytes and pathMtu";
      case REM_OP_ERR -> peer + " could not complete the operation; its own output may say why";
      case LOC_PROT_ERR -> "memory of this end was freed or has other rights; open another end";
      case WR_FLUSH_ERR ->
          "the queue pair went to the error state, because "
              + peer
              + " sent an invalid request or the program changed the state; open another end";
      case null, default -> "open another end";
    };
  }
}
