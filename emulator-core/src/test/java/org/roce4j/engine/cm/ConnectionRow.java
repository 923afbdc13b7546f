package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What an input does to an end of a connection in a state. The table lists every result except
 * "nothing": state and input, then the message sent, the event for the program, and the next state.
 * Inputs are the messages of {@link PeerMessages}, calls, and time that passes.
 *
 * @param sent the messages, as "REJ 28, DREQ"; may be empty
 * @param told the events, as "rejected 28"; may be empty
 * @param listed whether the table has a line of it
 */
public record ConnectionRow(
    ConnectionState state,
    String input,
    String sent,
    String told,
    ConnectionState next,
    boolean listed) {
  private static final String TABLE =
      """
      IDLE REQ            : REJ 8              :                     : IDLE
      IDLE REP            : REJ 6              :                     : IDLE
      IDLE RTU            : REJ 6              :                     : IDLE
      IDLE DREQ           : DREP               :                     : IDLE
      IDLE DREQ_OTHER_QPN : DREP               :                     : IDLE

      REQ_SENT REP        :                    : replied             : REP_RCVD
      REQ_SENT REJ        :                    : rejected 28         : IDLE
      REQ_SENT REJ_STALE  :                    : rejected 10         : TIMEWAIT
      REQ_SENT MRA        :                    :                     : MRA_REQ_RCVD
      REQ_SENT time       : REQ                :                     : REQ_SENT
      REQ_SENT patience   : 15 REQ             : unreachable         : IDLE
      REQ_SENT close      : REJ 4              :                     : IDLE
      REQ_SENT REQ        : REJ 8              :                     : REQ_SENT
      REQ_SENT DREQ       : DREP               : rejected 28         : IDLE
      REQ_SENT DREQ_OTHER_QPN : DREP               :                     : REQ_SENT

      MRA_REQ_RCVD REP    :                    : replied             : REP_RCVD
      MRA_REQ_RCVD REJ    :                    : rejected 28         : IDLE
      MRA_REQ_RCVD REJ_STALE :                 : rejected 10         : TIMEWAIT
      MRA_REQ_RCVD time   :                    :                     : MRA_REQ_RCVD
      MRA_REQ_RCVD patience : 15 REQ           : unreachable         : IDLE
      MRA_REQ_RCVD close  : REJ 4              :                     : IDLE
      MRA_REQ_RCVD REQ    : REJ 8              :                     : MRA_REQ_RCVD
      MRA_REQ_RCVD DREQ   : DREP               : rejected 28         : IDLE
      MRA_REQ_RCVD DREQ_OTHER_QPN : DREP               :                     : MRA_REQ_RCVD

      REP_RCVD REP        : MRA                :                     : REP_RCVD
      REP_RCVD REJ        :                    : rejected 28         : TIMEWAIT
      REP_RCVD REJ_STALE  :                    : rejected 10         : TIMEWAIT
      REP_RCVD REJ_TIMEOUT :                    : rejected 4          : TIMEWAIT
      REP_RCVD establish  : RTU                :                     : ESTABLISHED
      REP_RCVD reject     : REJ 28             :                     : IDLE
      REP_RCVD close      : REJ 28             :                     : IDLE

      REQ_RCVD REQ        : MRA                :                     : REQ_RCVD
      REQ_RCVD REJ        :                    : rejected 28         : IDLE
      REQ_RCVD REJ_STALE  :                    : rejected 10         : TIMEWAIT
      REQ_RCVD REJ_TIMEOUT :                    : rejected 4          : IDLE
      REQ_RCVD accept     : REP                :                     : REP_SENT
      REQ_RCVD reject     : REJ 28             :                     : IDLE
      REQ_RCVD close      : REJ 28             :                     : IDLE

      REP_SENT RTU        :                    : established         : ESTABLISHED
      REP_SENT REJ        :                    : rejected 28         : IDLE
      REP_SENT REJ_STALE  :                    : rejected 10         : TIMEWAIT
      REP_SENT REJ_TIMEOUT :                    : rejected 4          : IDLE
      REP_SENT MRA        :                    :                     : MRA_REP_RCVD
      REP_SENT DREQ       :                    : released            : DREQ_RCVD
      REP_SENT time       : REP                :                     : REP_SENT
      REP_SENT patience   : 15 REP             : unreachable         : IDLE
      REP_SENT confirm    :                    : established         : ESTABLISHED
      REP_SENT reject     : REJ 28, DREQ       :                     : DREQ_SENT
      REP_SENT close      : REJ 28, DREQ       :                     : DREQ_SENT

      MRA_REP_RCVD RTU    :                    : established         : ESTABLISHED
      MRA_REP_RCVD REJ    :                    : rejected 28         : IDLE
      MRA_REP_RCVD REJ_STALE :                 : rejected 10         : TIMEWAIT
      MRA_REP_RCVD REJ_TIMEOUT :                    : rejected 4          : IDLE
      MRA_REP_RCVD DREQ   :                    : released            : DREQ_RCVD
      MRA_REP_RCVD time   :                    :                     : MRA_REP_RCVD
      MRA_REP_RCVD patience : 15 REP           : unreachable         : IDLE
      MRA_REP_RCVD confirm :                   : established         : ESTABLISHED
      MRA_REP_RCVD reject : REJ 28, DREQ       :                     : DREQ_SENT
      MRA_REP_RCVD close  : REJ 28, DREQ       :                     : DREQ_SENT

      ESTABLISHED REP     : RTU                :                     : ESTABLISHED
      ESTABLISHED REJ     :                    : rejected 28         : TIMEWAIT
      ESTABLISHED REJ_STALE :                  : rejected 10         : TIMEWAIT
      ESTABLISHED REJ_TIMEOUT :                    : rejected 4          : TIMEWAIT
      ESTABLISHED DREQ    :                    : released            : DREQ_RCVD
      ESTABLISHED release : DREQ               :                     : DREQ_SENT
      ESTABLISHED close   : DREQ               :                     : DREQ_SENT

      DREQ_SENT DREP      :                    : released            : TIMEWAIT
      DREQ_SENT DREQ      : DREP               : released            : TIMEWAIT
      DREQ_SENT REJ       :                    : rejected 28         : TIMEWAIT
      DREQ_SENT REJ_STALE :                    : rejected 10         : TIMEWAIT
      DREQ_SENT REJ_TIMEOUT :                    : rejected 4          : TIMEWAIT
      DREQ_SENT time      : DREQ               :                     : DREQ_SENT
      DREQ_SENT patience  : 15 DREQ            : released unanswered, over : IDLE

      DREQ_RCVD DREP      :                    : released            : TIMEWAIT
      DREQ_RCVD release   : DREP               :                     : TIMEWAIT
      DREQ_RCVD close     : DREP               :                     : TIMEWAIT

      TIMEWAIT REQ        : REJ 10             :                     : TIMEWAIT
      TIMEWAIT DREQ       : DREP               :                     : TIMEWAIT
      TIMEWAIT time       :                    : over                : IDLE
      TIMEWAIT patience   :                    : over                : IDLE
      """;

  private static final List<String> INPUTS =
      List.of(
          "REQ",
          "REP",
          "RTU",
          "REJ",
          "REJ_STALE",
          "REJ_TIMEOUT",
          "MRA",
          "MRA_OTHER",
          "MRA_LAP",
          "DREQ",
          "DREQ_OTHER_QPN",
          "DREP",
          "LAP",
          "APR",
          "time",
          "patience",
          "establish",
          "accept",
          "reject",
          "release",
          "confirm",
          "close");

  /** Calls that return whether the state allows them: those with a line in the table. */
  private static final Set<String> CALLS =
      Set.of("establish", "accept", "reject", "release", "confirm");

  /** The name of the row. */
  public String name() {
    return state + " " + input;
  }

  /** Whether the end asks the peer, or is new, on the way to the state; else the peer asks it. */
  public boolean isActive() {
    return asks() || state == ConnectionState.REP_RCVD || state == ConnectionState.IDLE;
  }

  /** Whether the end has sent REQ and awaits the answer. */
  public boolean asks() {
    return state.awaitsReply();
  }

  /** The inputs that bring an end to the state after its REQ, or the peer's. */
  public List<String> way() {
    return switch (state) {
      case IDLE, REQ_SENT, REQ_RCVD -> List.of();
      case MRA_REQ_RCVD -> List.of("MRA");
      case REP_RCVD -> List.of("REP");
      case REP_SENT -> List.of("accept");
      case MRA_REP_RCVD -> List.of("accept", "MRA");
      case ESTABLISHED -> List.of("accept", "RTU");
      case DREQ_SENT -> List.of("accept", "RTU", "release");
      case DREQ_RCVD -> List.of("accept", "RTU", "DREQ");
      case TIMEWAIT -> List.of("accept", "RTU", "release", "DREP");
    };
  }

  /** Whether the input is a call that says whether the state allows it. */
  boolean mayBeRefused() {
    return CALLS.contains(input);
  }

  /** Whether an input is a message of the peer. */
  public static boolean isMessage(String input) {
    return input.equals(input.toUpperCase(Locale.ROOT));
  }

  String result() {
    return sent + ":" + told + ":" + next;
  }

  /** Every state with every input. */
  public static List<ConnectionRow> all() {
    Map<String, String[]> lines = lines();
    List<ConnectionRow> rows = new ArrayList<>();
    for (ConnectionState state : ConnectionState.values()) {
      for (String input : INPUTS) {
        String[] line = lines.remove(state + " " + input);
        rows.add(
            line == null
                ? new ConnectionRow(state, input, "", "", state, false)
                : new ConnectionRow(
                    state,
                    input,
                    line[1].strip(),
                    line[2].strip(),
                    ConnectionState.valueOf(line[3].strip()),
                    true));
      }
    }
    assertTrue(lines.isEmpty(), () -> "lines of no input: " + lines.keySet());
    return rows;
  }

  private static Map<String, String[]> lines() {
    Map<String, String[]> lines = new TreeMap<>();
    TABLE
        .lines()
        .filter(line -> !line.isBlank())
        .map(line -> line.split(":", -1))
        .forEach(parts -> lines.put(parts[0].strip(), parts));
    return lines;
  }
}
