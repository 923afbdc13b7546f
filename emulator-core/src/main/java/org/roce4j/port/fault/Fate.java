package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import org.roce4j.options.Quantity;

/**
 * What becomes of one datagram under all rules that apply to it. Reused: {@link #begin} forgets
 * what was before. A copy goes in order behind what was sent earlier; the datagram itself may be
 * held back.
 */
public final class Fate {
  private static final int USUAL = 4;

  private FaultAction.Kind lostBy;

  /** Of a plan, the one that befell it last; null: none. */
  private FaultRule decisive;

  private int place;
  private long[] copies = new long[USUAL];
  private int copyCount;
  private RuleState[] damages = new RuleState[USUAL];
  private int damageCount;
  private final List<FaultAction> forged = new ArrayList<>();

  /** When it arrives if nothing holds it back, ns of the caller's clock. */
  long arrivalNs;

  /** How much later it really does; others overtake it meanwhile. */
  long laterNs;

  long overtakenBy;
  int cutBytes;
  boolean congested;

  /** The next datagram meets no fault yet and would arrive now. */
  public void begin(long nowNs) {
    lostBy = null;
    decisive = null;
    copyCount = 0;
    damageCount = 0;
    forged.clear();
    arrivalNs = nowNs;
    laterNs = 0;
    overtakenBy = 0;
    cutBytes = 0;
    congested = false;
  }

  /** Whether it meets no fault. */
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

  /** What lost it, or null: it arrives. */
  public FaultAction.Kind lostBy() {
    return lostBy;
  }

  /** The last rule of a plan that befell it, as in {@code rule 2 (drop nth=3)}; empty: none. */
  public String reason() {
    return decisive == null ? "" : "rule " + place + " (" + decisive + ")";
  }

  /**
   * What becomes of it and by which rule, as people say it; empty: nothing, but perhaps damage.
   *
   * @param nowNs on the caller's clock, as in {@link #begin}
   */
  String told(long nowNs) {
    StringJoiner told = new StringJoiner(", ");
    if (lostBy != null) {
      told.add("lost");
    }
    if (!forged.isEmpty()) {
      told.add("behind a forged packet");
    }
    if (copyCount > 0) {
      told.add("duplicated");
    }
    long lateNs = arrivalNs - nowNs + laterNs;
    if (lateNs > 0) {
      told.add("held back for " + Quantity.TIME.print(lateNs));
    }
    if (cutBytes > 0) {
      told.add("cut by " + cutBytes + " bytes");
    }
    if (congested) {
      told.add("marked CE");
    }
    return told.length() == 0 ? "" : told + " by " + reason();
  }

  /** In order behind what was sent earlier, ns of the caller's clock. */
  public long arrivalNs() {
    return arrivalNs;
  }

  /** It goes in order from then on, not before. */
  public void arrivalNs(long value) {
    arrivalNs = value;
  }

  /** Nanoseconds after {@link #arrivalNs} for which it is held back. */
  public long laterNs() {
    return laterNs;
  }

  /** Datagrams that let it go on earlier when they have overtaken it; 0: none do. */
  public long overtakenBy() {
    return overtakenBy;
  }

  /** How many copies go before it. */
  public int copies() {
    return copyCount;
  }

  /** How much later than {@link #arrivalNs} a copy arrives, ns. */
  public long copyLaterNs(int copy) {
    return copies[copy];
  }

  /** How many of {@code length} bytes are cut off before the ICRC. */
  public int cutBytes(int length) {
    return Math.min(cutBytes, Math.max(0, length - FaultInjector.ICRC));
  }

  /** Whether a router marks it: ECN becomes CE (3). */
  public boolean congested() {
    return congested;
  }

  /** Whether something may change its bytes, see {@link FaultInjector#damage}. */
  public boolean mayBeDamaged() {
    return damageCount > 0;
  }

  /** How many forged packets travel in front of it, even if it is lost itself. */
  public int forgeries() {
    return forged.size();
  }

  /** One of them, for {@link Forgery#write}. */
  public FaultAction forgery(int index) {
    return forged.get(index);
  }

  void forged(FaultAction action) {
    forged.add(action);
  }

  /** A copy bears the same reason. */
  public void explainedBy(Fate other) {
    decisive = other.decisive;
    place = other.place;
  }

  void lost(FaultAction.Kind by) {
    lostBy = by;
  }

  /**
   * @param place of the rule in its plan, from 1
   */
  void because(FaultRule rule, int place) {
    decisive = rule;
    this.place = place;
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
