package org.roce4j.verbs.cm;

/**
 * How a datagram service was refused: the positive status of {@link CmEventType#UNREACHABLE}
 * (InfiniBand volume 1, 12.11.2; {@code enum ib_cm_sidr_status}).
 */
public enum SidrStatus {
  /** The service's address follows. */
  SUCCESS,
  /** Nobody listens at the service id. */
  UNSUPPORTED,
  /** The program rejected. */
  REJECT,
  /** The service has no queue pair. */
  NO_QP,
  /** The service is elsewhere. */
  REDIRECT,
  /** Unsupported class version. */
  UNSUPPORTED_VERSION;

  private static final SidrStatus[] BY_VALUE = values();

  /** The number on the wire. */
  public int value() {
    return ordinal();
  }

  /** The constant with this number, {@code null} when there is none. */
  public static SidrStatus of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }
}
