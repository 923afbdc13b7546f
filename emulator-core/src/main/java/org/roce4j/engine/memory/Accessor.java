package org.roce4j.engine.memory;

/**
 * On whose behalf memory is used: a queue pair, or the buffers of a shared receive queue. Compared
 * by identity: the number of a destroyed queue pair can be given to another one, to which no window
 * of the first is bound.
 */
public final class Accessor {
  private final Domain domain;

  public Accessor(Domain domain) {
    this.domain = domain.base();
  }

  Domain domain() {
    return domain;
  }
}
