package org.roce4j.engine.path;

/**
 * A queue pair's share of a {@link PathWindow}: the bytes that it has in flight, by age, and its
 * place in the line of queue pairs that wait for room. It is itself a link of that line, so that
 * waiting allocates nothing. Confined to the engine's owner.
 */
public final class PathShare {
  /** The queue pair, which is resumed when there may be room. */
  private final Waiter waiter;

  /** The one before it in the line of those that wait; itself: it does not wait. */
  private PathShare before = this;

  /** The one after it in the line. */
  private PathShare after = this;

  /** The window that this is a share of; null: none. */
  private PathWindow window;

  /** The window's period of the last {@link #catchUp}. */
  private long period;

  /** In-flight bytes sent in that period. */
  private long recentBytes;

  /** In-flight bytes sent before it. */
  private long olderBytes;

  /** In-flight bytes that no longer count against other queue pairs. */
  private long forgivenBytes;

  /**
   * @param waiter resumed when it may try again
   */
  public PathShare(Waiter waiter) {
    this.waiter = waiter;
  }

  Waiter waiter() {
    return waiter;
  }

  /** Sets the window that this is a share of; null: none. Nothing may be in flight. */
  void of(PathWindow other) {
    assert inFlightBytes() == 0 : "in flight on a path that is left";
    window = other;
  }

  // ---- what is in flight

  /** Whether {@code chargeBytes} more may be sent now. */
  public boolean admits(long chargeBytes) {
    return window.admits(chargeBytes) && !exceeds(chargeBytes);
  }

  /**
   * Whether {@code chargeBytes} more fit into the window, without the exceptions that {@link
   * #admits} makes.
   */
  public boolean hasRoom(long chargeBytes) {
    return window.hasRoom(chargeBytes) && !exceeds(chargeBytes);
  }

  /**
   * Whether {@code chargeBytes} more would exceed a window of this queue pair's own packets,
   * forgiven ones included. Only its own acknowledgements change that, not room that others make.
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

  /** The oldest {@code chargeBytes} are acknowledged, or everything in flight if that is less. */
  public void acknowledged(long chargeBytes) {
    catchUp();
    long bytes = Math.min(chargeBytes, inFlightBytes());
    boolean recent = bytes > forgivenBytes + olderBytes;
    leave(bytes);
    window.acknowledged(bytes, recent);
  }

  /**
   * Removes everything in flight without an acknowledgement: it will be sent again, or is given up.
   */
  public void withdrawn() {
    if (window != null) {
      catchUp();
      leave(inFlightBytes());
    }
  }

  /** Bytes sent and neither acknowledged nor withdrawn. */
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

  /** Applies the window's decisions since the last call to the bytes in flight. */
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

  /** The next share in the line; this one if the line is empty. */
  PathShare after() {
    return after;
  }

  /** Joins the end of the line of {@code head}. */
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
