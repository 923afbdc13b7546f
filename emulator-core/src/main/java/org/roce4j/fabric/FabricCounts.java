package org.roce4j.fabric;

import java.util.Locale;

/** What happened to the datagrams of a link, or of all links. */
public final class FabricCounts {
  private static final DropReason[] REASONS = DropReason.values();

  private final long[] dropped = new long[REASONS.length];
  private long carried;
  private long duplicated;
  private long corrupted;
  private long reordered;
  private long delivered;

  FabricCounts() {}

  /** Datagrams that ports gave to links; one to a group counts once per receiver. */
  public long carried() {
    return carried;
  }

  /** Copies that links made. */
  public long duplicated() {
    return duplicated;
  }

  /** Datagrams of which bits were changed. */
  public long corrupted() {
    return corrupted;
  }

  /** Held back so that later ones can overtake them. */
  public long reordered() {
    return reordered;
  }

  /** Datagrams that reached a receiving port, copies included. */
  public long delivered() {
    return delivered;
  }

  /** Dropped for this reason. */
  public long dropped(DropReason reason) {
    return dropped[reason.ordinal()];
  }

  /** Dropped for whatever reason. */
  public long dropped() {
    long sum = 0;
    for (long count : dropped) {
      sum += count;
    }
    return sum;
  }

  void countCarried() {
    carried++;
  }

  void countDuplicated() {
    duplicated++;
  }

  void countCorrupted() {
    corrupted++;
  }

  void countReordered() {
    reordered++;
  }

  void countDelivered() {
    delivered++;
  }

  void countDropped(DropReason reason) {
    dropped[reason.ordinal()]++;
  }

  /** One line; reasons that never occurred are left out. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(120);
    text.append("carried=").append(carried);
    text.append(" delivered=").append(delivered);
    text.append(" duplicated=").append(duplicated);
    text.append(" corrupted=").append(corrupted);
    text.append(" reordered=").append(reordered);
    for (DropReason reason : REASONS) {
      if (dropped(reason) > 0) {
        String name = reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
        text.append(' ').append(name).append('=').append(dropped(reason));
      }
    }
    return text.toString();
  }
}
