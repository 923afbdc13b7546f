package org.roce4j.device;

import java.util.function.Function;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.qp.FailureLog;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.trace.Failure;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.text.Wording;

/**
 * Why a request failed, as far as this process knows it: from its queue pair, and from the peer if
 * the peer is a device of this process. Computed on request. The two devices are owned one after
 * the other and never both, so two threads that ask about each other's devices cannot deadlock.
 */
final class FailureReason {
  private final Device device;
  private final int qpNum;

  /** A copy of a queue pair's attributes, taken as the device's owner. */
  private record Snapshot(
      String name,
      QpType type,
      QpState state,
      int destQp,
      Path path,
      String cause,
      String refusal) {
    static Snapshot of(Device device, QpMachine qp) {
      Peer peer = qp.peer();
      FailureLog log = qp.failures();
      String name =
          Wording.of(
              "QP 0x%x %s %s on %s", qp.qpNum(), qp.type(), qp.state(), device.identity().name());
      return new Snapshot(
          name, qp.type(), qp.state(), peer.destQp(), peer.path(), log.cause(), log.refusal());
    }
  }

  private FailureReason(Device device, int qpNum) {
    this.device = device;
    this.qpNum = qpNum;
  }

  /**
   * The reason of a failed completion; null if only its status is known.
   *
   * @param qpNum number of the local queue pair
   */
  static String of(Device device, int qpNum, long wrId, WcStatus status) {
    return new FailureReason(device, qpNum).why(wrId, status);
  }

  private String why(long wrId, WcStatus status) {
    Snapshot here = ask(device, qpNum, qp -> Snapshot.of(device, qp));
    if (here == null) {
      return "its queue pair was destroyed since";
    }
    if (status == WcStatus.WR_FLUSH_ERR) {
      return here.cause == null
          ? null
          : Wording.of("flushed because %s failed: %s", here.name, here.cause);
    }
    Failure send = ask(device, qpNum, qp -> qp.failures().ofSend(wrId));
    if (send == null || send.status() != status) {
      return here.refusal == null ? null : Wording.of("%s refused %s", here.name, here.refusal);
    }
    String peer = here.path == null ? null : peer(here, status);
    return Wording.of("%s: %s", send.request(), send.why()) + (peer == null ? "" : "; " + peer);
  }

  private static <T> T ask(Device of, int qpNum, Function<QpMachine, T> question) {
    return of.progress()
        .exclusively(
            () -> {
              QpMachine qp = of.engineOf(qpNum).queuePairs().find(qpNum);
              return qp == null ? null : question.apply(qp);
            });
  }

  // ---- the peer

  private String peer(Snapshot here, WcStatus status) {
    Gid address = new Gid(here.path.remoteHigh(), here.path.remoteLow());
    Device there = device.neighbour(address);
    if (there == null) {
      return status == WcStatus.RETRY_EXC_ERR
          ? Wording.of(
              "no device of this process has the address %s: see whether the peer is up, and its"
                  + " counters",
              address.addressText())
          : null;
    }
    Snapshot view = ask(there, here.destQp, qp -> Snapshot.of(there, qp));
    return switch (status) {
      case REM_ACCESS_ERR, REM_INV_REQ_ERR, REM_OP_ERR ->
          view == null || view.refusal == null
              ? null
              : Wording.of("%s refused %s", view.name, view.refusal);
      case RNR_RETRY_EXC_ERR -> view == null ? null : view.name + " has no receive posted";
      case RETRY_EXC_ERR -> unanswered(here, there, view);
      default -> null;
    };
  }

  /** The first reason found for a peer of this process not to have answered. */
  private String unanswered(Snapshot here, Device there, Snapshot view) {
    String down = down(device, here.path.localHigh(), here.path.localLow());
    if (down == null) {
      down = down(there, here.path.remoteHigh(), here.path.remoteLow());
    }
    if (down != null) {
      return down;
    }
    if (view == null) {
      return Wording.of(
          "%s has no QP 0x%x: it was destroyed, or destQpNum is wrong",
          there.identity().name(), here.destQp);
    }
    if (!connectable(here.type, view.type)) {
      return Wording.of("%s is of another service", view.name);
    }
    return switch (view.state) {
      case RESET, INIT -> Wording.of("%s takes no packet before RTR", view.name);
      case ERR ->
          Wording.of("%s takes no packet in ERR; it failed because %s", view.name, view.cause);
      default -> misconnected(here, view);
    };
  }

  /** The reason that the port with an address is down; null: it is up. */
  private static String down(Device of, long high, long low) {
    int port = of.portOf(high, low);
    if (port == 0 || of.port().state(port) == PortState.ACTIVE) {
      return null;
    }
    return Wording.of(
        "%s of %s is down", of.ports() == 1 ? "the port" : "port " + port, of.identity().name());
  }

  /** Whether an initiator and another queue pair are of one service. */
  private static boolean connectable(QpType one, QpType other) {
    return other == (one == QpType.XRC_SEND ? QpType.XRC_RECV : one);
  }

  private String misconnected(Snapshot here, Snapshot view) {
    if (view.destQp != qpNum) {
      return Wording.of(
          "%s is connected with QP 0x%x, not with this one (destQpNum)", view.name, view.destQp);
    }
    if (view.path == null
        || view.path.remoteLow() != here.path.localLow()
        || view.path.remoteHigh() != here.path.localHigh()) {
      return Wording.of("%s expects its peer at another address (ahAttr)", view.name);
    }
    return view.name
        + " is connected with this one and takes packets: they were lost, or sqPsn and rqPsn"
        + " differ";
  }
}
