package org.roce4j.engine.cm;

import java.util.EnumMap;
import java.util.Map;
import org.roce4j.wire.mad.CmAttribute;

/**
 * The table of {@link Reaction}s: a line for each state and a column for each message. Messages
 * without a column, LAP and APR, are ignored, because RoCE has no path migration.
 *
 * <p>It follows Linux except in three cells. An end that has sent DREQ confirms the peer's crossing
 * DREQ at once, whereas Linux waits for its program to disconnect a second time. And a DREQ that
 * overtakes or replaces REP ends the attempt, whereas Linux confirms it and continues, so that a
 * late REP makes a half-open connection.
 */
final class Reactions {
  private static final String TABLE =
      """
      state          REQ    REP    RTU        REJ       MRA   DREQ     DREP
      IDLE           -      -      -          -         -     -        -
      REQ_SENT       -      reply  -          end       wait  refusal  -
      MRA_REQ_RCVD   -      reply  -          end       -     refusal  -
      REP_RCVD       -      mra    -          end-wait  -     -        -
      REQ_RCVD       mra    -      -          end       -     -        -
      REP_SENT       -      -      establish  end       wait  release  -
      MRA_REP_RCVD   -      -      establish  end       -     release  -
      ESTABLISHED    -      rtu    -          end-wait  -     release  -
      DREQ_SENT      -      -      -          end-wait  -     cross    released
      DREQ_RCVD      -      -      -          -         -     -        released
      TIMEWAIT       stale  -      -          -         -     drep     -
      """;

  private static final Map<ConnectionState, Map<CmAttribute, Reaction>> CELLS = read();

  private Reactions() {}

  static Reaction to(CmAttribute message, ConnectionState in) {
    return CELLS.get(in).getOrDefault(message, Reaction.IGNORE);
  }

  private static Map<ConnectionState, Map<CmAttribute, Reaction>> read() {
    Map<ConnectionState, Map<CmAttribute, Reaction>> cells = new EnumMap<>(ConnectionState.class);
    String[] lines = TABLE.split("\n");
    String[] columns = lines[0].split(" +");
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" +");
      Map<CmAttribute, Reaction> row = new EnumMap<>(CmAttribute.class);
      for (int k = 1; k < columns.length; k++) {
        row.put(CmAttribute.valueOf(columns[k]), Reaction.of(words[k]));
      }
      cells.put(ConnectionState.valueOf(words[0]), row);
    }
    return cells;
  }
}
