package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import org.roce4j.options.Quantity;
import org.roce4j.port.fault.FaultAction.Kind;

/**
 * The combined effect of all rules that apply to one datagram. Reused: {@link #begin} resets it.
 * Copies keep the order of sending; the datagram itself may be held back.
 */
public final class Fate {
  private static final int USUAL = 4;

  /** Kinds that hold a datagram back. */
  public static final Set<Kind> DELAYING =
      Set.of(Kind.RATE, Kind.LATENCY, Kind.DELAY, Kind.REORDER);

  /** Kinds that change bits; chance decides for each copy. */
  public static final Set<Kind> DAMAGING =
      Set.of(Kind.CORRUPT, Kind.CORRUPT_HEADER, Kind.CORRUPT_PAYLOAD, Kind.CORRUPT_ICRC);

  /** Kinds that make copies. */
  public static final Set<Kind> DUPLICATING = Set.of(Kind.DUPLICATE);

  /** Kinds that leave out bytes. */
  public static final Set<Kind> CUTTING = Set.of(Kind.TRUNCATE);

  /** Kinds that mark congestion. */
  public static final Set<Kind> MARKING = Set.of(Kind.MARK_ECN);

  /** Kinds that add packets nobody has sent. */
  public static final Set<Kind> FORGING =
      Set.of(Kind.FORGE_ACK, Kind.FORGE_NAK, Kind.FORGE_RNR, Kind.FORGE_CNP);

  private Kind lostBy;

  /** The rules of a plan that were applied, and their places in it, from 1. */
  private FaultRule[] rules = new FaultRule[USUAL];

  private int[] places = new int[USUAL];
  private int ruleCount;
  private long[] copies = new long[USUAL];
  private int copyCount;
  private RuleState[] damages = new RuleState[USUAL];
  private int damageCount;
  private final List<FaultAction> forged = new ArrayList<>();

  /** Time of arrival if the datagram is not held back, in nanoseconds of the caller's clock. */
  long arrivalNs;

  /** Nanoseconds after {@link #arrivalNs} for which it is held back, while others overtake it. */
  long laterNs;

  long overtakenBy;
  int cutBytes;
  boolean congested;

  /** Resets this to a datagram without faults that arrives now. */
  public void begin(long nowNs) {
    lostBy = null;
    ruleCount = 0;
    copyCount = 0;
    damageCount = 0;
    forged.clear();
    arrivalNs = nowNs;
    laterNs = 0;
    overtakenBy = 0;
    cutBytes = 0;
    congested = false;
  }

  /** Whether no fault was applied. */
  public boolean untouched(long nowNs) {
    return lostBy == null
        && copyCount == 0
        && damageCount == 0
        && forged.isEmpty()
        && arrivalNs == nowNs
        && laterNs == 0
        && overtakenBy == 0
        && cutBytes == 0
        && !congested;
  }

  /** The kind of fault that drops the datagram; null: none does. */
  public Kind lostBy() {
    return lostBy;
  }

  /** The last rule of a plan that was applied, such as {@code rule 2 (drop nth=3)}; empty: none. */
  public String reason() {
    return ruleCount == 0 ? "" : rule(ruleCount - 1);
  }

  /** The rules of some kinds that were applied, joined by "and"; empty: none. */
  public String reason(Set<Kind> kinds) {
    StringJoiner reason = new StringJoiner(" and ");
    for (int i = 0; i < ruleCount; i++) {
      if (kinds.contains(rules[i].action().kind())) {
        reason.add(rule(i));
      }
    }
    return reason.toString();
  }

  private String rule(int index) {
    return "rule " + places[index] + " (" + rules[index] + ")";
  }

  private String by(Set<Kind> kinds) {
    return " by " + reason(kinds);
  }

  /**
   * Describes the effects of a plan, except damage, each with its rules; empty if there are none.
   *
   * @param nowNs the time that was given to {@link #begin}
   */
  String told(long nowNs) {
    StringJoiner told = new StringJoiner(", ");
    if (lostBy != null) {
      told.add("lost by " + reason());
    }
    if (!forged.isEmpty()) {
      told.add("behind a forged packet" + by(FORGING));
    }
    if (copyCount > 0) {
      told.add("duplicated" + by(DUPLICATING));
    }
    long lateNs = arrivalNs - nowNs + laterNs;
    if (lateNs > 0) {
      told.add("held back for " + Quantity.TIME.print(lateNs) + by(DELAYING));
    }
    if (cutBytes > 0) {
      told.add("cut by " + cutBytes + " bytes" + by(CUTTING));
    }
    if (congested) {
      told.add("marked CE" + by(MARKING));
    }
    return told.toString();
  }

  /** Time of arrival in the order of sending, in nanoseconds of the caller's clock. */
  public long arrivalNs() {
    return arrivalNs;
  }

  /** Sets {@link #arrivalNs()}. */
  public void arrivalNs(long value) {
    arrivalNs = value;
  }

  /** Nanoseconds after {@link #arrivalNs} for which it is held back. */
  public long laterNs() {
    return laterNs;
  }

  /**
   * The number of datagrams after which it stops being held back, even before {@link #laterNs}; 0:
   * only time counts.
   */
  public long overtakenBy() {
    return overtakenBy;
  }

  /** The number of copies, which arrive before the datagram itself. */
  public int copies() {
    return copyCount;
  }

  /** Nanoseconds after {@link #arrivalNs} at which a copy arrives. */
  public long copyLaterNs(int copy) {
    return copies[copy];
  }

  /** The number of bytes, out of {@code length}, that are cut off before the ICRC. */
  public int cutBytes(int length) {
    return Math.min(cutBytes, Math.max(0, length - FaultInjector.ICRC));
  }

  /** Whether congestion is marked: ECN becomes CE (3). */
  public boolean congested() {
    return congested;
  }

  /** Whether {@link FaultInjector#damage} may change its bytes. */
  public boolean mayBeDamaged() {
    return damageCount > 0;
  }

  /** The number of forged packets before it. They are sent even if it is dropped. */
  public int forgeries() {
    return forged.size();
  }

  /** The action of a forged packet, for {@link Forgery#write}. */
  public FaultAction forgery(int index) {
    return forged.get(index);
  }

  void forged(FaultAction action) {
    forged.add(action);
  }

  /** Takes over the rules of another fate; for copies. */
  public void explainedBy(Fate other) {
    ruleCount = 0;
    for (int i = 0; i < other.ruleCount; i++) {
      because(other.rules[i], other.places[i]);
    }
  }

  void lost(Kind by) {
    lostBy = by;
  }

  /**
   * @param place the rule's place in its plan, from 1
   */
  void because(FaultRule rule, int place) {
    if (ruleCount == rules.length) {
      rules = Arrays.copyOf(rules, 2 * ruleCount);
      places = Arrays.copyOf(places, 2 * ruleCount);
    }
    rules[ruleCount] = rule;
    places[ruleCount++] = place;
  }

  void copied(long ns) {
    if (copyCount == copies.length) {
      copies = Arrays.copyOf(copies, 2 * copyCount);
    }
    copies[copyCount++] = ns;
  }

  void damagedBy(RuleState state) {
    if (damageCount == damages.length) {
      damages = Arrays.copyOf(damages, 2 * damageCount);
    }
    damages[damageCount++] = state;
  }

  int damageCount() {
    return damageCount;
  }

  RuleState damage(int index) {
    return damages[index];
  }
}
