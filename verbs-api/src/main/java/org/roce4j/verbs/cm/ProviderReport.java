package org.roce4j.verbs.cm;

/**
 * A backend's report of an id; the library makes a {@link CmEvent} of it. Immutable except for
 * {@code conn}.
 *
 * @param type as the kernel reports it: an accepted connection is always CONNECT_RESPONSE at the
 *     side that connected; the library makes ESTABLISHED of it
 * @param id the id it concerns; for CONNECT_REQUEST the new id, which is of the listener's channel
 * @param listener for CONNECT_REQUEST the id that listens; else null
 * @param status 0, a negative errno, or the positive reason of REJECTED and UNREACHABLE
 * @param conn for connections, with private data of full size; else null
 * @param ud for datagram services and groups; else null
 * @param join for MULTICAST_JOIN and MULTICAST_ERROR the context given to {@link
 *     ProviderId#joinMulticast}
 */
public record ProviderReport(
    CmEventType type,
    ProviderId id,
    ProviderId listener,
    int status,
    ConnParam conn,
    UdParam ud,
    Object join) {

  /** A report with a status only. */
  public static ProviderReport of(CmEventType type, ProviderId id, int status) {
    return new ProviderReport(type, id, null, status, null, null, null);
  }
}
