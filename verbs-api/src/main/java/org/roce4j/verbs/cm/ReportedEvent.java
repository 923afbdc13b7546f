package org.roce4j.verbs.cm;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/**
 * What a backend reports becomes an event of the program: the library's half of {@code
 * rdma_get_cm_event}, done by the thread that takes the event.
 */
record ReportedEvent(
    ProviderReport report, CmId id, CmId listenId, int status, CmEventDebt.Entry debt) {

  /**
   * The event, or null if the program must not see one.
   *
   * @param from the channel on which it was reported
   */
  static CmEvent of(RdmaCm cm, EventChannel from, ProviderReport report) {
    if (report.type() == CmEventType.CONNECT_REQUEST) {
      return request(cm, from, report);
    }
    CmId id = cm.idOf(report.id());
    if (id == null) {
      return null; // closed since
    }
    return switch (report.type()) {
      case CONNECT_RESPONSE -> response(id, report);
      case REJECTED -> {
        if (!id.handshake().failed()) {
          id.handshake().queuePairToError();
        }
        yield unlessFailed(id, report);
      }
      case DISCONNECTED -> unlessFailed(id, report);
      case MULTICAST_JOIN -> joined(id, report);
      default -> event(report.type(), id, report, report.status());
    };
  }

  private static CmEvent event(CmEventType type, CmId id, ProviderReport report, int status) {
    CmEventDebt.Entry debt = id.delivery().debt().delivered();
    if (debt == null) {
      return null; // closed since
    }
    id.handshake().told(type);
    return CmEvent.of(type, new ReportedEvent(report, id, null, status, debt));
  }

  /**
   * The new id inherits from the listener; a synchronous listener's ids are synchronous. A request
   * to a device that the program has not opened is rejected.
   */
  private static CmEvent request(RdmaCm cm, EventChannel from, ProviderReport report) {
    CmId listener = cm.idOf(report.listener());
    try {
      if (listener != null && report.id().context() != null) {
        CmId made = listener.requests().made(from, report);
        CmEventDebt.Entry debt = listener.delivery().debt().delivered();
        if (debt != null) {
          return CmEvent.of(
              report.type(), new ReportedEvent(report, made, listener, report.status(), debt));
        }
        made.close();
      }
    } catch (VerbsException e) {
      // The new id is closed; the peer is told below.
    }
    report.id().close();
    return null;
  }

  private static CmEvent response(CmId id, ProviderReport report) {
    QueuePair own = id.qp();
    if (own == null) {
      return event(CmEventType.CONNECT_RESPONSE, id, report, report.status());
    }
    int errno = errnoOf(() -> id.handshake().finish(own));
    return errno == 0
        ? event(CmEventType.ESTABLISHED, id, report, 0)
        : event(CmEventType.CONNECT_ERROR, id, report, -errno);
  }

  /** After CONNECT_ERROR the program hears no more of that connection. */
  private static CmEvent unlessFailed(CmId id, ProviderReport report) {
    return id.handshake().failed() ? null : event(report.type(), id, report, report.status());
  }

  private static CmEvent joined(CmId id, ProviderReport report) {
    int errno = errnoOf(() -> id.joined((Membership) report.join(), report.ud()));
    return errno == 0
        ? event(CmEventType.MULTICAST_JOIN, id, report, report.status())
        : event(CmEventType.MULTICAST_ERROR, id, report, -errno);
  }

  private static int errnoOf(Runnable step) {
    try {
      step.run();
      return 0;
    } catch (VerbsException e) {
      Errno errno = e.errno();
      return errno.number();
    }
  }
}
