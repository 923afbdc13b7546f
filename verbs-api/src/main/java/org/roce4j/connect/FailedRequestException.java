package org.roce4j.connect;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;

/** A request completed in error. Its connection or datagram end can then only be closed. */
public final class FailedRequestException extends VerbsException {
  private static final long serialVersionUID = 1L;

  private final WcStatus status;

  FailedRequestException(Errno errno, WcStatus status, String remedy) {
    super(errno, remedy);
    this.status = status;
  }

  /** The status of its completion. */
  public WcStatus status() {
    return status;
  }
}
