package org.roce4j.engine.memory;

/** A protection domain as the engine knows it: an identity, and how many objects belong to it. */
public final class Domain {
  private int members;

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
