package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * A thread's turn at a {@link WorkRequestBuilder}, for backends: who builds a batch, which request
 * is being built, and the first wrong call. The rules of calls, which every backend keeps alike,
 * are here: an operation that the queue pair was made for comes first, then its data, unless it
 * names them itself, and its destination, if its type has one. All methods but {@link #start} and
 * {@link #describe} are for the thread whose turn it is. Nothing here allocates but {@link
 * #describe} and a virtual thread's wait for another's turn.
 */
public final class BuilderTurn {
  /** Between start and end. */
  private final ThreadTurn turn = new ThreadTurn();

  private final QpType type;
  private final long operations;
  private boolean addressed;

  private WrOpcode operation;
  private long wrId;
  private int index;

  private int errno;
  private String words;

  /**
   * @param type of the queue pair: it says which requests need a destination
   * @param operations of {@link SendOpsFlags}, which the queue pair was made for
   */
  public BuilderTurn(QpType type, long operations) {
    this.type = type;
    this.operations = operations;
  }

  /**
   * Begins a turn; waits while another thread has one.
   *
   * @throws VerbsException EINVAL if this thread has one
   */
  public void start() {
    if (!turn.take()) {
      throw Errno.EINVAL.refusal("this thread has started a batch: complete or abort it first");
    }
    operation = null;
    index = -1;
    errno = 0;
    addressed = true;
  }

  /**
   * Checks that this thread has started.
   *
   * @throws VerbsException EINVAL if it has not
   */
  public void check() {
    if (!turn.isMine()) {
      throw Errno.EINVAL.refusal("this thread has no batch: call start first");
    }
  }

  /** Ends the turn; what was refused can still be read. */
  public void end() {
    turn.end();
  }

  /** Ends the turn and forgets what was refused. */
  public void abort() {
    errno = 0;
    end();
  }

  /**
   * Begins the next request of the batch; refusals from now on name it.
   *
   * @return false: the batch is refused
   */
  public boolean request(WrOpcode operation, long wrId) {
    if (errno != 0) {
      return false;
    }
    this.operation = operation;
    this.wrId = wrId;
    index++;
    addressed =
        type != QpType.UD && type != QpType.XRC_SEND
            || operation == WrOpcode.BIND_MW
            || operation == WrOpcode.LOCAL_INV;
    if ((operations & SendOpsFlags.of(operation)) == 0) {
      refuse(
          Errno.EOPNOTSUPP,
          "the queue pair was not made for the operation: name it in sendOps, if the device has"
              + " it");
    }
    return errno == 0;
  }

  /**
   * Data or a destination follow.
   *
   * @return false: the batch is refused, or there is no request that they could belong to
   */
  public boolean adds() {
    if (operation == null) {
      refuse(Errno.EINVAL, "there is no request to set it for: its operation comes first");
    }
    return errno == 0;
  }

  /**
   * The request gets elements or inline data.
   *
   * @return false: it is refused
   */
  public boolean data() {
    if (adds() && operation == WrOpcode.ATOMIC_WRITE) {
      refuse(Errno.EINVAL, "the operation names its data itself");
    }
    return errno == 0;
  }

  /**
   * The request gets a destination.
   *
   * @param of the type of queue pairs whose requests have such ones
   * @return false: it is refused
   */
  public boolean address(QpType of) {
    if (type == of) {
      addressed = true;
      return errno == 0;
    }
    refuse(
        Errno.EINVAL,
        of == QpType.UD
            ? "only datagrams have an address of their own"
            : "only requests of an XRC_SEND queue pair name a shared receive queue");
    return false;
  }

  /** The request that was begun is complete; it is refused if it has no destination. */
  public void finishRequest() {
    if (!addressed) {
      refuse(
          Errno.EINVAL,
          type == QpType.UD
              ? "a datagram needs setUdAddress"
              : "an XRC request needs setXrcSrqNumber");
    }
  }

  /**
   * Refuses the batch for a call of the request that is being built. Only the first call counts.
   */
  public void refuse(Errno errno, String words) {
    if (this.errno == 0) {
      this.errno = errno.number();
      this.words = words;
    }
  }

  /**
   * Refuses the batch as a whole, unless a request was refused.
   *
   * @param errno not 0
   */
  public void refuseBatch(int errno, String words) {
    if (this.errno == 0) {
      operation = null;
      this.errno = errno;
      this.words = words;
    }
  }

  /** Whether a call was wrong. */
  public boolean refused() {
    return errno != 0;
  }

  /** The errno of the first wrong call; 0: no call was wrong. */
  public int errno() {
    return errno;
  }

  /**
   * Says which request was refused and why; empty if none was.
   *
   * @param qp names the queue pair
   */
  public String describe(QueuePair qp) {
    if (errno == 0) {
      return "";
    }
    String what =
        operation == null
            ? "the batch"
            : Wording.of("request %d (wr_id %d, %s)", index, wrId, operation);
    return qp.describe() + ", " + what + ": " + words;
  }

  /** The thread that builds, and what was refused. */
  @Override
  public String toString() {
    return turn + " builds" + (errno == 0 ? "" : ", refused: " + words);
  }
}
