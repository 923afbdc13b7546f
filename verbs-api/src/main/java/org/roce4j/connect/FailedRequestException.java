package org.roce4j.connect;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;

/** A request of an end of messages completed in error; the end can only be closed then. */
public final class FailedRequestException extends VerbsException {
  private static final long serialVersionUID = 1L;

  private final WcStatus status;

  FailedRequestException(Errno errno, WcStatus status, String remedy) {
    super(errno, remedy);
    this.status = status;
  }

  /** How the request ended. */
  public WcStatus status() {
    return status;
  }
}
