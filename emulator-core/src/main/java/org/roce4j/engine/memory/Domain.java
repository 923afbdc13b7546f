package org.roce4j.engine.memory;

/** A protection domain as the engine knows it: an identity, and how many objects belong to it. */
public final class Domain {
  private final Domain base;
  private int members;

  public Domain() {
    base = this;
    extended = new Accessor(this);
  }

  /** A parent domain: what is made with it may be used as if made with the domain beneath. */
  public Domain(Domain beneath) {
    base = beneath.base;
    extended = base.extended;
  }

  /** What is compared to know what may be used together. */
  Domain base() {
    return base;
  }

  /**
   * On whose behalf every extended reliable connection of the domain works. A target queue pair
   * posts nothing, so a type 2 window that an XRC_SEND queue pair binds is bound for all of them.
   */
  private final Accessor extended;

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
