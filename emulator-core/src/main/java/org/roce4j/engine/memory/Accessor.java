package org.roce4j.engine.memory;

/**
 * The identity under which memory is accessed: a queue pair, or the buffers of a shared receive
 * queue. Compared by identity, because the number of a destroyed queue pair is reused, and windows
 * that were bound on the old queue pair must not serve the new one.
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
