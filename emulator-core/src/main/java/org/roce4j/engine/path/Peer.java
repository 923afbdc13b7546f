package org.roce4j.engine.path;

import org.roce4j.engine.datagram.Path;

/**
 * The other end of a connected queue pair, as requester and responder both need it: path, number,
 * P_Key, path MTU. Set when the queue pair becomes RTR; confined to the engine's owner.
 */
public final class Peer {
  private Path path;
  private final PathShare share;
  private PathWindow window;
  private int destQp;
  private int port;
  private int pkey = 0xffff;
  private int pathMtu = 4096;
  private int sourcePortHint;

  /**
   * @param waiter told when there may be room on the path again
   */
  public Peer(Waiter waiter) {
    share = new PathShare(waiter);
  }

  /** Null and null: nowhere any more. Nothing is in flight. */
  public void path(Path path, PathWindow window, int sourcePortHint) {
    this.path = path;
    this.window = window;
    share.of(window);
    this.sourcePortHint = sourcePortHint;
  }

  public void destQp(int qpNum) {
    destQp = qpNum;
  }

  /** What this end has: its port, 0 before it has one, and its P_Key. */
  public void local(int port, int pkey) {
    this.port = port;
    this.pkey = pkey;
  }

  /** The port of this end; 0: none yet. Threads that post read it. */
  public int port() {
    return port;
  }

  public void pathMtu(int bytes) {
    pathMtu = bytes;
  }

  /** Null until the address vector was given. */
  public Path path() {
    return path;
  }

  /** What may be in flight on the path. */
  public PathWindow window() {
    return window;
  }

  /** What the queue pair has in flight there. */
  public PathShare share() {
    return share;
  }

  public int destQp() {
    return destQp;
  }

  public int pkey() {
    return pkey;
  }

  /** Bytes of payload in a full packet. */
  public int pathMtu() {
    return pathMtu;
  }

  public int sourcePortHint() {
    return sourcePortHint;
  }
}
