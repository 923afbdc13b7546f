package org.roce4j.engine.cm;

import java.util.EnumMap;
import java.util.Map;
import org.roce4j.wire.mad.CmAttribute;

/**
 * The table of {@link Reaction}s: a line for each state, a column for each message, words of {@link
 * Reaction}. What it leaves out is ignored: LAP and APR, since on RoCE no path migrates.
 *
 * <p>It follows Linux but for three cells: an end that has taken the connection down itself
 * confirms the peer's crossing DREQ at once, where Linux waits for its program to say it a second
 * time. And DREQ that overtakes REP, or comes in its place, ends the attempt: Linux confirms it and
 * goes on, so that a REP that is late makes half a connection.
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
