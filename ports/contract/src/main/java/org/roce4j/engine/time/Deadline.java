package org.roce4j.engine.time;

/** One owner's place in a {@link DeadlineHeap}. */
public final class Deadline {
  static final int ABSENT = -1;

  private final Timed owner;
  long atNs;
  int index = ABSENT;

  /** Whether its owner wants to be called at {@link #atNs} or later. */
  boolean wanted;

  long wantedNs;

  /** A deadline that is not set. {@code owner} is called when it is due. */
  public Deadline(Timed owner) {
    this.owner = owner;
  }

  /** The owner, which is called when it is due. */
  public Timed owner() {
    return owner;
  }

  /** Whether it is in a heap. */
  public boolean isSet() {
    return index != ABSENT;
  }

  /** The time at which it is due, on the port's clock; meaningful while {@link #isSet}. */
  public long atNs() {
    return atNs;
  }
}
