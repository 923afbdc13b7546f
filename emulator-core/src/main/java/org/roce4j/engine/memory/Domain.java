package org.roce4j.engine.memory;

/** A protection domain as the engine knows it: an identity, and how many objects belong to it. */
public final class Domain {
  private int members;

  /**
   * On whose behalf every extended reliable connection of the domain works. A target queue pair
   * posts nothing, so a type 2 window that an XRC_SEND queue pair binds is bound for all of them.
   */
  private final Accessor extended = new Accessor(this);

  /** On whose behalf every extended reliable connection of the domain works. */
  public Accessor extended() {
    return extended;
  }

  public void joined() {
    members++;
  }

  public void left() {
    members--;
  }

  /** Whether regions, windows, queue pairs, shared receive queues or address handles remain. */
  public boolean inUse() {
    return members > 0;
  }
}
