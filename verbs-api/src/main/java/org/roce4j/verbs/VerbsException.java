package org.roce4j.verbs;

/**
 * A verb refused: the errno that libibverbs would give, and what the caller can do about it.
 * Nothing was changed by the refused call, unless it is a {@link ReregistrationException}.
 */
public class VerbsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Errno errno;
  private final String remedy;

  /**
   * @param errno the error number libibverbs would give
   * @param remedy what is wrong with the call and what to do instead, one sentence
   */
  public VerbsException(Errno errno, String remedy) {
    this(errno, remedy, null);
  }

  /** As the other, for a refusal that follows from another exception. */
  public VerbsException(Errno errno, String remedy, Throwable cause) {
    super(errno + ": " + remedy, cause);
    this.errno = errno;
    this.remedy = remedy;
  }

  /**
   * EINTR, for a wait that an interrupt ended. The calling thread's interrupt flag is set again:
   * the exception is unchecked, so a pool or a loop above the caller sees the interrupt by its
   * flag.
   */
  public static VerbsException interrupted() {
    Thread.currentThread().interrupt();
    return Errno.EINTR.refusal(
        "the thread was interrupted while it waited, and its interrupt flag stays set:"
            + " Thread.interrupted() clears it before another wait");
  }

  /** The error number that libibverbs would give. */
  public Errno errno() {
    return errno;
  }

  /**
   * What is wrong with the call and what to do instead, one sentence; the message without the
   * errno.
   */
  public String remedy() {
    return remedy;
  }
}
