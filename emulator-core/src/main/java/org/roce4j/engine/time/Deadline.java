package org.roce4j.engine.time;

/** One owner's place in a {@link DeadlineHeap}. */
public final class Deadline {
  static final int ABSENT = -1;

  private final Timed owner;
  long atNs;
  int index = ABSENT;

  /** Whether its owner wants to be called, and when: at {@link #atNs} or later. */
  boolean wanted;

  long wantedNs;

  /** Not set; {@code owner} is called when it is due. */
  public Deadline(Timed owner) {
    this.owner = owner;
  }

  /** Who is called when it is due. */
  public Timed owner() {
    return owner;
  }

  /** Whether it stands in a heap. */
  public boolean isSet() {
    return index != ABSENT;
  }

  /** When it is due, in the port's nanoseconds; meaningful while {@link #isSet}. */
  public long atNs() {
    return atNs;
  }
}
