package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.roce4j.hardware.bindings.CmStructures;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.Librdmacm;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.hardware.bindings.Refusal;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.ProviderChannel;
import org.roce4j.verbs.cm.ProviderId;
import org.roce4j.verbs.cm.ProviderReport;
import org.roce4j.verbs.cm.UdParam;

/**
 * {@code struct rdma_event_channel}. Its ids have no queue pair that librdmacm knows, so librdmacm
 * reports CONNECT_RESPONSE and does not touch queue pairs. An event is acknowledged as soon as it
 * is copied.
 */
final class HardwareCmChannel implements ProviderChannel {
  /** By address; shared by the channels of a library, because ids migrate. */
  private final Map<Long, HardwareCmId> ids;

  private final Librdmacm library;
  private final List<Context> contexts;
  private final Gate gate = new Gate();
  private final long address;
  private final EventDescriptor events;

  HardwareCmChannel(Librdmacm library, Map<Long, HardwareCmId> ids, List<Context> contexts) {
    this.library = library;
    this.ids = ids;
    this.contexts = contexts;
    try (Frame frame = new Frame()) {
      address = library.createEventChannel(frame);
    }
    int descriptor = CmStructures.channelFd(address);
    events =
        new EventDescriptor("cm-events-" + descriptor, descriptor, gate, HardwareCmChannel::closed);
  }

  private static VerbsException closed() {
    return Errno.EINVAL.refusal("the event channel is closed: create another");
  }

  long address() {
    return address;
  }

  /** The program's context of a device; null if it has not opened it. */
  Context context(String deviceName) {
    for (Context each : contexts) {
      if (each.device().name().equals(deviceName)) {
        return each;
      }
    }
    return null;
  }

  @Override
  public ProviderId createId(PortSpace ps, QpType qpType) {
    if (qpType != ps.qpType()) {
      throw Errno.EOPNOTSUPP.refusal(
          "librdmacm gives ids of %s for %s alone, not %s", ps, ps.qpType(), qpType);
    }
    if (!gate.enter()) {
      throw closed();
    }
    try (Frame frame = new Frame()) {
      return track(library.createId(frame, address, ps.value()), qpType);
    } finally {
      gate.leave();
    }
  }

  private HardwareCmId track(long id, QpType qpType) {
    HardwareCmId made = new HardwareCmId(this, library, id, qpType);
    ids.put(id, made);
    return made;
  }

  /** The id is destroyed; the library may use its address for another one. */
  void forget(HardwareCmId id, long idAddress) {
    ids.remove(idAddress, id);
  }

  @Override
  public ProviderReport take(long timeoutNs) {
    return events.next(this::takeReport, timeoutNs);
  }

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  private ProviderReport takeReport() {
    try (Frame frame = new Frame()) {
      MemorySegment place = frame.structure(Long.BYTES);
      while (true) {
        int errno = library.getCmEvent(frame, address, place);
        if (errno == Errno.EAGAIN.number() || errno == Errno.EINTR.number()) {
          return null;
        }
        if (errno != 0) {
          throw Refusal.of("rdma_get_cm_event", errno);
        }
        long event = ObjectStructures.pointer(place);
        ProviderReport report = report(event);
        library.ackCmEvent(frame, event);
        if (report != null) {
          return report;
        }
      }
    }
  }

  /** Null for an event that this API has no name for, or of an id that is being closed. */
  private ProviderReport report(long event) {
    CmEventType type = CmStructures.eventType(event);
    if (type == null) {
      return null;
    }
    int status = CmStructures.eventStatus(event);
    if (type == CmEventType.CONNECT_REQUEST) {
      return request(event, status);
    }
    HardwareCmId id = ids.get(CmStructures.eventId(event));
    if (id == null) {
      return null;
    }
    return switch (type) {
      case MULTICAST_JOIN, MULTICAST_ERROR -> joined(type, id, event, status);
      case CONNECT_RESPONSE, REJECTED, ESTABLISHED, DISCONNECTED ->
          answered(type, id, event, status);
      default -> ProviderReport.of(type, id, status);
    };
  }

  /** Null: the group was left meanwhile. */
  private static ProviderReport joined(CmEventType type, HardwareCmId id, long event, int status) {
    Object join = id.join(CmStructures.eventToken(event));
    UdParam where = status == 0 ? CmStructures.eventGroup(event) : null;
    return join == null ? null : new ProviderReport(type, id, null, status, null, where, join);
  }

  private ProviderReport request(long event, int status) {
    HardwareCmId listener = ids.get(CmStructures.eventListenId(event));
    long address = CmStructures.eventId(event);
    QpType type = listener == null ? QpType.RC : listener.qpType();
    HardwareCmId made = track(address, type);
    return answered(CmEventType.CONNECT_REQUEST, made, listener, event, status);
  }

  private static ProviderReport answered(
      CmEventType type, HardwareCmId id, long event, int status) {
    return answered(type, id, null, event, status);
  }

  private static ProviderReport answered(
      CmEventType type, HardwareCmId id, HardwareCmId listener, long event, int status) {
    boolean datagrams = id.qpType() == QpType.UD;
    ConnParam conn = datagrams ? null : CmStructures.eventConn(event);
    UdParam ud = datagrams ? CmStructures.eventUd(event) : null;
    return new ProviderReport(type, id, listener, status, conn, ud, null);
  }

  @Override
  public void onEvent(Runnable hook) {
    events.onEvent(hook);
  }

  @Override
  public void close() {
    if (!gate.shut()) {
      return;
    }
    events.onEvent(null);
    try (Frame frame = new Frame()) {
      library.destroyEventChannel(frame, address);
    }
  }
}
