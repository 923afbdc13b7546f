package org.roce4j.engine.memory;

/** A protection domain in the engine: an identity, and the number of objects that belong to it. */
public final class Domain {
  private final Domain base;
  private int members;

  public Domain() {
    base = this;
    extended = new Accessor(this);
  }

  /** A parent domain: its objects may be used together with those of the domain beneath. */
  public Domain(Domain beneath) {
    base = beneath.base;
    extended = base.extended;
  }

  /** The identity of the domain. Objects with equal identities may be used together. */
  Domain base() {
    return base;
  }

  /**
   * The accessor of all extended reliable connections of the domain. A target queue pair posts
   * nothing, so a type 2 window that an XRC_SEND queue pair binds is bound for all of them.
   */
  private final Accessor extended;

  /** The accessor of all extended reliable connections of the domain. */
  public Accessor extended() {
    return extended;
  }

  public void joined() {
    members++;
  }

  public void left() {
    members--;
  }

  /** Whether any region, window, queue pair, shared receive queue or address handle exists. */
  public boolean inUse() {
    return members > 0;
  }
}
