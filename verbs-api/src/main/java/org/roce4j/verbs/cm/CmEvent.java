package org.roce4j.verbs.cm;

import java.util.Optional;
import org.roce4j.verbs.Errno;

/**
 * {@code struct rdma_cm_event}: what happened to an id. One class for each type of event, to switch
 * over. It must be acknowledged: {@link CmId#close} waits for it. Thread-safe.
 */
public abstract sealed class CmEvent implements AutoCloseable {
  private final CmEventType type;
  private final ProviderReport report;
  private final CmId id;
  private final CmId listenId;
  private final int status;
  private final CmEventDebt.Entry debt;

  private CmEvent(CmEventType type, ReportedEvent from) {
    this.type = type;
    this.report = from.report();
    this.id = from.id();
    this.listenId = from.listenId();
    this.status = from.status();
    this.debt = from.debt();
  }

  static CmEvent of(CmEventType type, ReportedEvent from) {
    return switch (type) {
      case ADDR_RESOLVED -> new AddrResolved(from);
      case ADDR_ERROR -> new AddrError(from);
      case ROUTE_RESOLVED -> new RouteResolved(from);
      case ROUTE_ERROR -> new RouteError(from);
      case CONNECT_REQUEST -> new ConnectRequest(from);
      case CONNECT_RESPONSE -> new ConnectResponse(from);
      case CONNECT_ERROR -> new ConnectError(from);
      case UNREACHABLE -> new Unreachable(from);
      case REJECTED -> new Rejected(from);
      case ESTABLISHED -> new Established(from);
      case DISCONNECTED -> new Disconnected(from);
      case DEVICE_REMOVAL -> new DeviceRemoval(from);
      case MULTICAST_JOIN -> new MulticastJoin(from);
      case MULTICAST_ERROR -> new MulticastError(from);
      case ADDR_CHANGE -> new AddrChange(from);
      case TIMEWAIT_EXIT -> new TimewaitExit(from);
    };
  }

  /** What happened; it corresponds to the class. */
  public CmEventType type() {
    return type;
  }

  /** The id it concerns; for a {@link ConnectRequest} the new id, which the program closes. */
  public CmId id() {
    return id;
  }

  /** For a {@link ConnectRequest} the listening id; else null. */
  public CmId listenId() {
    return listenId;
  }

  /**
   * 0, or what went wrong: a negative errno, the positive reason of {@link Rejected}, or the
   * positive status of the datagram service of {@link Unreachable}.
   */
  public int status() {
    return status;
  }

  /** The errno of a negative {@link #status}, or empty. */
  public Optional<Errno> errno() {
    return status < 0 ? Optional.ofNullable(Errno.of(-status)) : Optional.empty();
  }

  /** The peer's offer ({@code param.conn}); null if the event has none. */
  public ConnParam conn() {
    return report.conn();
  }

  /** The address of a datagram service or group ({@code param.ud}); null if the event has none. */
  public UdParam ud() {
    return report.ud();
  }

  /** The private data of the peer's program, padded with zeros to full size; may be empty. */
  public byte[] privateData() {
    return conn() != null ? conn().privateData() : ud() != null ? ud().privateData() : new byte[0];
  }

  /**
   * For {@link MulticastJoin} and {@link MulticastError} the context given to {@link
   * CmId#joinMulticast} ({@code param.ud.private_data}); else null.
   */
  public Object joinContext() {
    return report.join() instanceof Membership joined ? joined.userContext() : null;
  }

  /** {@code rdma_ack_cm_event}. Idempotent. */
  public void ack() {
    debt.acknowledge();
  }

  /** {@link #ack}, for try-with-resources. */
  @Override
  public void close() {
    ack();
  }

  /** What the status means, in words; empty when it is 0. */
  String statusText() {
    return status == 0 ? "" : errno().map(Object::toString).orElse(Integer.toString(status));
  }

  /** Such as {@code REJECTED INVALID_SERVICE_ID of id ...}. */
  @Override
  public String toString() {
    return type + (status == 0 ? "" : " " + statusText()) + " of " + id;
  }

  /** {@link CmEventType#ADDR_RESOLVED}. */
  public static final class AddrResolved extends CmEvent {
    private AddrResolved(ReportedEvent from) {
      super(CmEventType.ADDR_RESOLVED, from);
    }
  }

  /** {@link CmEventType#ADDR_ERROR}: ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENODEV. */
  public static final class AddrError extends CmEvent {
    private AddrError(ReportedEvent from) {
      super(CmEventType.ADDR_ERROR, from);
    }
  }

  /** {@link CmEventType#ROUTE_RESOLVED}. */
  public static final class RouteResolved extends CmEvent {
    private RouteResolved(ReportedEvent from) {
      super(CmEventType.ROUTE_RESOLVED, from);
    }
  }

  /** {@link CmEventType#ROUTE_ERROR}. */
  public static final class RouteError extends CmEvent {
    private RouteError(ReportedEvent from) {
      super(CmEventType.ROUTE_ERROR, from);
    }
  }

  /** {@link CmEventType#CONNECT_REQUEST}: accept or reject {@link #id}. */
  public static final class ConnectRequest extends CmEvent {
    private ConnectRequest(ReportedEvent from) {
      super(CmEventType.CONNECT_REQUEST, from);
    }
  }

  /** {@link CmEventType#CONNECT_RESPONSE}: take the queue pair to RTS, then establish or reject. */
  public static final class ConnectResponse extends CmEvent {
    private ConnectResponse(ReportedEvent from) {
      super(CmEventType.CONNECT_RESPONSE, from);
    }
  }

  /** {@link CmEventType#CONNECT_ERROR}: the queue pair cannot go to RTS; the peer was rejected. */
  public static final class ConnectError extends CmEvent {
    private ConnectError(ReportedEvent from) {
      super(CmEventType.CONNECT_ERROR, from);
    }
  }

  /** {@link CmEventType#UNREACHABLE}: ETIMEDOUT, or the answer of a datagram service. */
  public static final class Unreachable extends CmEvent {
    private Unreachable(ReportedEvent from) {
      super(CmEventType.UNREACHABLE, from);
    }

    /** How the datagram service refused; empty after a timeout. */
    public Optional<SidrStatus> sidrStatus() {
      return status() > 0 ? Optional.ofNullable(SidrStatus.of(status())) : Optional.empty();
    }

    @Override
    String statusText() {
      return sidrStatus().map(Object::toString).orElseGet(super::statusText);
    }
  }

  /** {@link CmEventType#REJECTED}. */
  public static final class Rejected extends CmEvent {
    private Rejected(ReportedEvent from) {
      super(CmEventType.REJECTED, from);
    }

    /** Why; empty for a number that has no name. */
    public Optional<RejectReason> reason() {
      return Optional.ofNullable(RejectReason.of(status()));
    }

    @Override
    String statusText() {
      return reason().map(Object::toString).orElseGet(super::statusText);
    }
  }

  /** {@link CmEventType#ESTABLISHED}. */
  public static final class Established extends CmEvent {
    private Established(ReportedEvent from) {
      super(CmEventType.ESTABLISHED, from);
    }
  }

  /** {@link CmEventType#DISCONNECTED}; disconnect too, so that the peer need not wait. */
  public static final class Disconnected extends CmEvent {
    private Disconnected(ReportedEvent from) {
      super(CmEventType.DISCONNECTED, from);
    }
  }

  /** {@link CmEventType#DEVICE_REMOVAL}. */
  public static final class DeviceRemoval extends CmEvent {
    private DeviceRemoval(ReportedEvent from) {
      super(CmEventType.DEVICE_REMOVAL, from);
    }
  }

  /** {@link CmEventType#MULTICAST_JOIN}: {@link #ud} is the group's address. */
  public static final class MulticastJoin extends CmEvent {
    private MulticastJoin(ReportedEvent from) {
      super(CmEventType.MULTICAST_JOIN, from);
    }
  }

  /** {@link CmEventType#MULTICAST_ERROR}. */
  public static final class MulticastError extends CmEvent {
    private MulticastError(ReportedEvent from) {
      super(CmEventType.MULTICAST_ERROR, from);
    }
  }

  /** {@link CmEventType#ADDR_CHANGE}. */
  public static final class AddrChange extends CmEvent {
    private AddrChange(ReportedEvent from) {
      super(CmEventType.ADDR_CHANGE, from);
    }
  }

  /** {@link CmEventType#TIMEWAIT_EXIT}. */
  public static final class TimewaitExit extends CmEvent {
    private TimewaitExit(ReportedEvent from) {
      super(CmEventType.TIMEWAIT_EXIT, from);
    }
  }
}
