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
 * @param conn of connections, with private data of full size; null where there is nothing to tell
 * @param ud of datagram services and groups; null where there is nothing to tell
 * @param join for MULTICAST_JOIN and MULTICAST_ERROR what {@link ProviderId#joinMulticast} was
 *     given
 */
public record ProviderReport(
    CmEventType type,
    ProviderId id,
    ProviderId listener,
    int status,
    ConnParam conn,
    UdParam ud,
    Object join) {

  /** A report that has a status alone. */
  public static ProviderReport of(CmEventType type, ProviderId id, int status) {
    return new ProviderReport(type, id, null, status, null, null, null);
  }
}
