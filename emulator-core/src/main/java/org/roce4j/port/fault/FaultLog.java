package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.port.fault.FaultReport.Hit;
import org.roce4j.port.fault.FaultReport.Traffic;
import org.roce4j.wire.Bth;

/**
 * Records the traffic that a {@link FaultInjector} sees and the datagrams to which its rules are
 * applied. Allocates nothing for a datagram without fault. The injector's thread writes it; a
 * report that another thread asks for may lack the latest datagrams.
 */
public final class FaultLog {
  private static final int OPCODES = 256;

  private final long[][] datagrams = new long[FaultDirection.values().length][OPCODES];
  private final List<Hit> hits = new ArrayList<>();
  private final Map<Integer, Integer> remembered = new LinkedHashMap<>();
  private FaultDirection direction;
  private int opcode;

  void met(FaultDirection direction, ByteBuffer buffer, int at, int length) {
    this.direction = direction;
    opcode = length < Bth.SIZE ? -1 : Bth.opcode(buffer, at);
    if (opcode >= 0) {
      datagrams[direction.ordinal()][opcode]++;
    }
  }

  /** Records that a rule was applied to the latest datagram. */
  void applied(int rule, long meant) {
    if (opcode >= 0 && remembered.merge(rule, 1, Integer::sum) <= FaultReport.MOST_HITS) {
      long nth = datagrams[direction.ordinal()][opcode];
      hits.add(new Hit(rule, new Traffic(direction, opcode), nth, meant));
    }
  }

  /** The report of all datagrams so far. */
  public FaultReport report() {
    Map<Traffic, Long> counted = new LinkedHashMap<>();
    for (FaultDirection way : FaultDirection.values()) {
      for (int code = 0; code < OPCODES; code++) {
        long count = datagrams[way.ordinal()][code];
        if (count > 0) {
          counted.put(new Traffic(way, code), count);
        }
      }
    }
    return new FaultReport(counted, hits);
  }
}
