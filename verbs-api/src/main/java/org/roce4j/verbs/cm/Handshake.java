package org.roce4j.verbs.cm;

import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/**
 * How an id connects and disconnects: the resources that it offers and agrees to, and the queue
 * pair's transition for each message.
 */
final class Handshake {
  private final CmId id;
  private final ProviderId provided;
  private volatile Resources resources;
  private volatile boolean failed;
  private volatile boolean standing;
  private volatile byte[] prefix = {};

  /**
   * @param asked the offer of the peer's request; {@link Resources#NONE}: no request
   */
  Handshake(CmId id, Resources asked) {
    this.id = id;
    provided = id.provided();
    resources = asked;
  }

  /** Private data that the next request begins with. */
  void prefix(byte[] bytes) {
    prefix = bytes.clone();
  }

  /** Sends a request. */
  void connect(ConnParam param) {
    id.checkOpen();
    ConnParam offered = param.copy();
    Resources.check(id, offered);
    byte[] bytes = Resources.joined(prefix, offered.privateData());
    Resources.checkPrivateData(id.qpType(), bytes, 56, 180);
    resources = Resources.offered(offered, id.verbsOrRefuse());
    provided.connect(resources.complete(offered.privateData(bytes), id.qp()));
    prefix = new byte[0];
  }

  /** Answers a request; the queue pair of a connection is at RTS before. */
  void accept(ConnParam param) {
    id.checkOpen();
    ConnParam offered = param.copy();
    Resources.check(id, offered);
    Resources.checkPrivateData(id.qpType(), offered.privateData(), 196, 136);
    resources = resources.agreed(offered, id.verbsOrRefuse());
    QueuePair own = id.qp();
    if (own != null && id.qpType() != QpType.UD) {
      states(own).connect(resources.responder(), resources.initiator());
    }
    try {
      provided.accept(resources.complete(offered, own));
    } catch (VerbsException e) {
      queuePairToError();
      throw e;
    }
  }

  /**
   * The peer has accepted: the queue pair goes to RTS, and the peer is told.
   *
   * @param own the queue pair, which another thread may be destroying
   */
  void finish(QueuePair own) {
    QueuePairStates states = states(own);
    try {
      states.connect(ConnParam.MAX_RESP_RES, ConnParam.MAX_INIT_DEPTH);
      provided.establish();
    } catch (VerbsException e) {
      failed = true;
      states.errorQuietly();
      rejectQuietly();
      throw e;
    }
  }

  /** While another failure is being reported. */
  private void rejectQuietly() {
    try {
      provided.reject(RejectReason.CONSUMER_DEFINED, new byte[0]);
    } catch (VerbsException e) {
      // The peer has left already, or the device is gone.
    }
  }

  /** The peer had accepted, and the queue pair could not go to RTS. */
  boolean failed() {
    return failed;
  }

  /** Notes what an event says of the connection. */
  void told(CmEventType type) {
    switch (type) {
      case ESTABLISHED -> standing = id.qpType() != QpType.UD;
      case REJECTED, UNREACHABLE, CONNECT_ERROR, DISCONNECTED -> standing = false;
      default -> {}
    }
  }

  /** Whether there is a connection, whose end will be told. */
  boolean standing() {
    return standing;
  }

  void disconnect() {
    id.checkOpen();
    QueuePair own = id.qp();
    try {
      if (own != null) {
        states(own).error();
      }
    } catch (VerbsException e) {
      boolean destroyed = id.qp() != own; // by another thread meanwhile
      if (!destroyed) {
        throw e;
      }
    }
    provided.disconnect();
  }

  void queuePairToError() {
    QueuePair own = id.qp();
    if (own != null) {
      states(own).errorQuietly();
    }
  }

  private QueuePairStates states(QueuePair own) {
    return new QueuePairStates(provided, own);
  }
}
