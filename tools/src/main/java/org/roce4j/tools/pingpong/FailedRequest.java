package org.roce4j.tools.pingpong;

import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.text.Wording;

/** Explains a completion status in this game, with a remedy. */
final class FailedRequest {
  /** A receive failed. */
  static final String RECEIVE = "receive";

  /** A message of the game failed. */
  static final String MESSAGE = "message";

  /** The probe whether the peer is alive failed. */
  static final String PROBE = "probe";

  private static final String NOTHING_CAME =
      "; nothing ever came from it, so look for a firewall in front of UDP port 4791, a wrong"
          + " route, a NAT, or an interface that is down (./roce4j doctor looks for them)";

  private FailedRequest() {}

  /**
   * The message about a failure.
   *
   * @param status of {@link WcStatus}
   * @param request what failed: {@link #MESSAGE}, {@link #PROBE} or {@link #RECEIVE}
   * @param service of the game
   * @param peer the peer's address
   * @param waitedNs the time that the request was outstanding, 0 if unknown
   * @param received messages received until then
   * @param flushed requests that were flushed after it
   */
  static ToolFailure failure(
      int status,
      String request,
      PingPongService service,
      String peer,
      long waitedNs,
      long received,
      int flushed) {
    String meaning = WcStatus.describe(status);
    WcStatus known = WcStatus.of(status);
    String line =
        switch (known) {
          case RETRY_EXC_ERR ->
              Wording.of(
                  "peer %s stopped answering: %s%s%s",
                  peer, meaning, after(waitedNs), received == 0 ? NOTHING_CAME : "");
          case RNR_RETRY_EXC_ERR ->
              Wording.of("peer %s has no receive posted: %s%s", peer, meaning, after(waitedNs));
          case REM_INV_REQ_ERR ->
              Wording.of(
                  "peer %s refuses our %s: %s; both sides need the same --mtu and --size%s",
                  peer, request, meaning, sameDomain(service));
          case REM_ACCESS_ERR, REM_OP_ERR ->
              Wording.of("peer %s refuses our %s: %s", peer, request, meaning);
          case LOC_LEN_ERR ->
              Wording.of(
                  "peer %s sent a message that does not fit: %s; both sides need the same --size",
                  peer, meaning);
          case WR_FLUSH_ERR ->
              Wording.of(
                  "the queue pair went to the error state: peer %s sent what it must not; both"
                      + " sides need the same --mtu and --size",
                  peer);
          case null, default ->
              Wording.of(
                  "our %s to peer %s failed: %s (status %d)", request, peer, meaning, status);
        };
    return ToolFailure.atRunTime(
        line + "; " + flushed + (flushed == 1 ? " request" : " requests") + " flushed");
  }

  /** A message to one client may come through another's queue pair. */
  private static String sameDomain(PingPongService service) {
    return service == PingPongService.XRC
        ? ", and the clients of a server share an XRC domain: --clients N plays them in one process"
        : "";
  }

  private static String after(long waitedNs) {
    return waitedNs == 0 ? "" : Wording.of(" after %.2f s", waitedNs / 1e9);
  }
}
