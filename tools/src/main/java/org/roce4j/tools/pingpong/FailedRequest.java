package org.roce4j.tools.pingpong;

import java.util.Locale;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.WcStatus;

/** Says what a completion status means in this game, and what to do about it. */
final class FailedRequest {
  /** A receive failed. */
  static final String RECEIVE = "receive";

  /** A message of the game failed. */
  static final String MESSAGE = "message";

  /** The question whether the peer still lives failed. */
  static final String PROBE = "probe";

  private FailedRequest() {}

  /**
   * The failure to tell.
   *
   * @param status of {@link WcStatus}
   * @param request what failed: {@link #MESSAGE}, {@link #PROBE} or {@link #RECEIVE}
   * @param peer the peer, for people
   * @param waitedNs how long the request was under way, 0 if unknown
   * @param received messages received until then
   * @param flushed requests that were flushed after it
   */
  static ToolFailure failure(
      int status, String request, String peer, long waitedNs, long received, int flushed) {
    String meaning = WcStatus.describe(status);
    WcStatus known = WcStatus.of(status);
    String line =
        switch (known) {
          case RETRY_EXC_ERR ->
              "peer "
                  + peer
                  + " stopped answering: "
                  + meaning
                  + after(waitedNs)
                  + (received == 0
                      ? "; nothing ever came from it, so look for a firewall in front of UDP port"
                          + " 4791, a wrong route, a NAT, or an interface that is down"
                          + " (./roce4j doctor looks for them)"
                      : "");
          case RNR_RETRY_EXC_ERR ->
              "peer " + peer + " has no receive posted: " + meaning + after(waitedNs);
          case REM_INV_REQ_ERR ->
              "peer "
                  + peer
                  + " refuses our "
                  + request
                  + ": "
                  + meaning
                  + "; both sides need the same --mtu and --size";
          case REM_ACCESS_ERR, REM_OP_ERR ->
              "peer " + peer + " refuses our " + request + ": " + meaning;
          case LOC_LEN_ERR ->
              "peer "
                  + peer
                  + " sent a message that does not fit: "
                  + meaning
                  + "; both sides need the same --size";
          case WR_FLUSH_ERR ->
              "the queue pair went to the error state: peer "
                  + peer
                  + " sent what it must not; both sides need the same --mtu and --size";
          case null, default ->
              "our "
                  + request
                  + " to peer "
                  + peer
                  + " failed: "
                  + meaning
                  + " (status "
                  + status
                  + ")";
        };
    return ToolFailure.atRunTime(
        line + "; " + flushed + (flushed == 1 ? " request" : " requests") + " flushed");
  }

  private static String after(long waitedNs) {
    return waitedNs == 0 ? "" : String.format(Locale.ROOT, " after %.2f s", waitedNs / 1e9);
  }
}
