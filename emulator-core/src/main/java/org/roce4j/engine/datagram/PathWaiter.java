package org.roce4j.engine.datagram;

/**
 * A queue pair's place in the line of those that wait for room in a {@link PathWindow}; a link of
 * that line, so that waiting allocates nothing. Confined to the engine's owner.
 */
public final class PathWaiter {
  private final Object queuePair;
  private PathWaiter before = this;
  private PathWaiter after = this;

  public PathWaiter(Object queuePair) {
    this.queuePair = queuePair;
  }

  public Object queuePair() {
    return queuePair;
  }

  public boolean isWaiting() {
    return after != this;
  }

  /** The one behind it; itself where there is none. */
  PathWaiter after() {
    return after;
  }

  /** Goes to the end of the line that another heads. */
  void queue(PathWaiter head) {
    before = head.before;
    after = head;
    before.after = this;
    head.before = this;
  }

  void leave() {
    before.after = after;
    after.before = before;
    before = this;
    after = this;
  }
}
