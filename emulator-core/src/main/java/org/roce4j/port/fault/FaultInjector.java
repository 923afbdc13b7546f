package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * Carries out a {@link FaultPlan} on a sequence of datagrams: counts what each rule means, draws
 * its chances, and says what befalls each. Allocates nothing per datagram. Not thread-safe.
 */
public final class FaultInjector {
  private static final long STREAM = 0x9E37_79B9_7F4A_7C15L;

  private final FaultRule[] rules;
  private final long[] meant;
  private final long[] befallen;
  private final SplittableRandom[] chance;
  private final SplittableRandom damage;
  private int decisive;

  public FaultInjector(FaultPlan plan) {
    rules = plan.rules().toArray(FaultRule[]::new);
    meant = new long[rules.length];
    befallen = new long[rules.length];
    chance = new SplittableRandom[rules.length];
    for (int i = 0; i < rules.length; i++) {
      chance[i] = new SplittableRandom(plan.seed() + (i + 1) * STREAM);
    }
    damage = new SplittableRandom(plan.seed());
  }

  /**
   * Decides about the next datagram. Every rule counts it, whichever decides.
   *
   * @return what befalls it, or null when nothing does
   */
  public FaultAction decide(FaultDirection direction, ByteBuffer buffer, int at, int length) {
    FaultAction action = null;
    for (int i = 0; i < rules.length; i++) {
      FaultMatcher matcher = rules[i].matcher();
      if (matcher.means(direction, buffer, at, length)
          && matcher.chooses(++meant[i])
          && (matcher.probability() == 1 || chance[i].nextDouble() < matcher.probability())
          && action == null) {
        befallen[i]++;
        action = rules[i].action();
        decisive = i;
      }
    }
    return action;
  }

  /** The rule that the last action came from, as people say it: {@code rule 2 (drop nth=3)}. */
  public String reason() {
    return "rule " + (decisive + 1) + " (" + rules[decisive] + ")";
  }

  /** How many datagrams a rule has befallen. */
  public long befallen(int rule) {
    return befallen[rule];
  }

  /** Changes so many bytes between BTH and ICRC, or of the ICRC when there are none. */
  public void damage(ByteBuffer buffer, int at, int length, long bytes) {
    int from = Math.min(12, Math.max(0, length - 4));
    int room = length - 4 > from ? length - 4 - from : length - from;
    for (long i = 0; i < bytes && room > 0; i++) {
      int victim = at + from + damage.nextInt(room);
      buffer.put(victim, (byte) (buffer.get(victim) ^ 1 + damage.nextInt(255)));
    }
  }
}
