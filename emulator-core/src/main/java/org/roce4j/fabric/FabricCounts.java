package org.roce4j.fabric;

import java.util.Locale;

/** Counts of the datagrams of a link, or of all links. */
public final class FabricCounts {
  private static final DropReason[] REASONS = DropReason.values();

  private final long[] dropped = new long[REASONS.length];
  private long carried;
  private long duplicated;
  private long corrupted;
  private long reordered;
  private long delivered;

  FabricCounts() {}

  /** Datagrams that ports gave to links. A datagram to a group counts once per receiver. */
  public long carried() {
    return carried;
  }

  /** Copies that links made. */
  public long duplicated() {
    return duplicated;
  }

  /** Datagrams with changed bits. */
  public long corrupted() {
    return corrupted;
  }

  /** Datagrams held back so that later ones can overtake them. */
  public long reordered() {
    return reordered;
  }

  /** Datagrams that reached a receiving port, copies included. */
  public long delivered() {
    return delivered;
  }

  /** Datagrams dropped for this reason. */
  public long dropped(DropReason reason) {
    return dropped[reason.ordinal()];
  }

  /** Datagrams dropped for any reason. */
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

  /** The counts in one line, without reasons that never occurred. */
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
