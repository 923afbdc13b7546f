package org.roce4j.engine.path;

/**
 * A queue pair's share of a {@link PathWindow}: what it has in flight there, oldest first, and its
 * place in the line of those that wait for room; a link of that line, so that waiting allocates
 * nothing. Confined to the engine's owner.
 */
public final class PathShare {
  /** The queue pair that waits for room while this stands in the line. */
  private final Waiter waiter;

  private PathShare before = this;
  private PathShare after = this;
  private PathWindow window;

  /** The window's period in which this was last brought up to date. */
  private long period;

  /** In flight, sent in that period; sent before it; and of what counts against nobody else. */
  private long recentBytes;

  private long olderBytes;
  private long forgivenBytes;

  /**
   * @param waiter told when it may try again
   */
  public PathShare(Waiter waiter) {
    this.waiter = waiter;
  }

  Waiter waiter() {
    return waiter;
  }

  /** What it is a share of, from now on; null: of nothing. Nothing is in flight. */
  void of(PathWindow other) {
    assert inFlightBytes() == 0 : "in flight on a path that is left";
    window = other;
    period = other == null ? 0 : other.period();
  }

  // ---- what is in flight

  /** Whether this much more may be sent now. */
  public boolean admits(long chargeBytes) {
    return window.admits(chargeBytes) && !exceeds(chargeBytes);
  }

  /** Whether this much more finds room without any exception. */
  public boolean hasRoom(long chargeBytes) {
    return window.hasRoom(chargeBytes) && !exceeds(chargeBytes);
  }

  /**
   * Whether this much more were more than a window of its own packets: what is forgiven counts
   * against itself. Room that others make changes nothing, its own acknowledgements do.
   */
  public boolean exceeds(long chargeBytes) {
    catchUp();
    return forgivenBytes > 0 && inFlightBytes() + chargeBytes > window.limitBytes();
  }

  public void sent(long chargeBytes) {
    catchUp();
    recentBytes += chargeBytes;
    window.sent(chargeBytes);
  }

  /** This much of what was sent first is acknowledged; at most what is in flight. */
  public void acknowledged(long chargeBytes) {
    catchUp();
    long bytes = Math.min(chargeBytes, inFlightBytes());
    boolean recent = bytes > forgivenBytes + olderBytes;
    leave(bytes);
    window.acknowledged(bytes, recent);
  }

  /** All that is in flight is not acknowledged: to be sent again, or given up. */
  public void withdrawn() {
    if (window != null) {
      catchUp();
      leave(inFlightBytes());
    }
  }

  /** What was sent and neither acknowledged nor withdrawn. */
  public long inFlightBytes() {
    return forgivenBytes + olderBytes + recentBytes;
  }

  private void leave(long bytes) {
    long forgiven = Math.min(bytes, forgivenBytes);
    long older = Math.min(bytes - forgiven, olderBytes);
    long recent = bytes - forgiven - older;
    forgivenBytes -= forgiven;
    olderBytes -= older;
    recentBytes -= recent;
    window.left(forgiven, older, recent);
  }

  /** What the window decided of all that is in flight. */
  private void catchUp() {
    if (period == window.period()) {
      return;
    }
    long forgivenUntil = window.forgivenUntil();
    if (period <= forgivenUntil) {
      forgivenBytes += olderBytes;
      olderBytes = 0;
    }
    if (period < forgivenUntil) {
      forgivenBytes += recentBytes;
      recentBytes = 0;
    }
    olderBytes += recentBytes;
    recentBytes = 0;
    period = window.period();
  }

  // ---- the line

  public boolean isWaiting() {
    return after != this;
  }

  /** The one behind it; itself where there is none. */
  PathShare after() {
    return after;
  }

  /** Goes to the end of the line that another heads. */
  void queue(PathShare head) {
    before = head.before;
    after = head;
    before.after = this;
    head.before = this;
  }

  void leaveLine() {
    before.after = after;
    after.before = before;
    before = this;
    after = this;
  }
}
