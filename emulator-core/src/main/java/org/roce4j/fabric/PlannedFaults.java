package org.roce4j.fabric;

import java.nio.ByteBuffer;
import org.roce4j.options.Quantity;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultInjector;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.verbs.Gid;

/**
 * A {@link FaultPlan} on the fabric itself, where delays pass in virtual time: {@code
 * fabric.filter(new PlannedFaults(plan, end))}. A link cannot shorten or mark a datagram, nor count
 * what overtakes it; for those faults put a {@link org.roce4j.port.fault.FaultPort} on the fabric's
 * port.
 */
public final class PlannedFaults implements FabricFilter {
  private static final int BITS_PER_BYTE = 8;

  private final FaultInjector injector;
  private final Gid end;

  /**
   * @param end whose view the plan takes: what this address sends goes out, what it is sent comes
   *     in, all else is left alone; null: everything goes out
   * @throws org.roce4j.verbs.VerbsException EINVAL for a fault that a link cannot do
   */
  public PlannedFaults(FaultPlan plan, Gid end) {
    this.end = end;
    for (FaultRule rule : plan.rules()) {
      switch (rule.action().kind()) {
        case REORDER, TRUNCATE, MARK_ECN ->
            throw Quantity.refuse(
                "a link cannot %s; put a FaultPort on the fabric's port", rule.action());
        case DROP, DUPLICATE, DELAY, CORRUPT_PAYLOAD, CORRUPT_ICRC -> {}
      }
    }
    injector = new FaultInjector(plan);
  }

  /** What has befallen so far. */
  public FaultInjector injector() {
    return injector;
  }

  @Override
  public Verdict decide(
      Gid source, Gid destination, ByteBuffer buffer, int at, int length, long n) {
    FaultDirection direction = direction(source, destination);
    if (direction == null) {
      return Verdict.PASS;
    }
    FaultAction action = injector.decide(direction, buffer, at, length);
    if (action == null) {
      return Verdict.PASS;
    }
    return verdict(action).because(injector.reason());
  }

  private static Verdict verdict(FaultAction action) {
    int amount = (int) Math.min(action.amount(), Integer.MAX_VALUE / BITS_PER_BYTE);
    return switch (action.kind()) {
      case DROP -> Verdict.DROP;
      case DUPLICATE -> new Verdict(false, amount, 0, 0);
      case DELAY -> Verdict.delay(action.amount());
      case CORRUPT_PAYLOAD -> new Verdict(false, 0, amount * BITS_PER_BYTE + 1, 0);
      // Too many bits to be all in the one byte that the ICRC does not cover.
      case CORRUPT_ICRC -> new Verdict(false, 0, BITS_PER_BYTE + 1, 0);
      case REORDER, TRUNCATE, MARK_ECN -> Verdict.PASS;
    };
  }

  private FaultDirection direction(Gid source, Gid destination) {
    if (end == null || end.equals(source)) {
      return FaultDirection.OUT;
    }
    return end.equals(destination) ? FaultDirection.IN : null;
  }
}
