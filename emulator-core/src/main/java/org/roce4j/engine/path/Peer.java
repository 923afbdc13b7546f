package org.roce4j.engine.path;

import org.roce4j.engine.datagram.Path;

/**
 * The other end of a connected queue pair, for requester and responder: path, number, P_Key, path
 * MTU. Set at the transition to RTR; confined to the engine's owner.
 */
public final class Peer {
  /** The address vector, as the port sends to it; null: none. */
  private Path path;

  private final PathShare share;

  /** What is in flight to the address, of all queue pairs; null: none. */
  private PathWindow window;

  /** DestQP of packets. */
  private int destQp;

  /** The local port, from 1 on. */
  private int port;

  /** The P_Key of packets. */
  private int pkey = 0xffff;

  /** The most payload of a packet, bytes. */
  private int pathMtu = 4096;

  /** The entropy of the UDP source port. */
  private int sourcePortHint;

  /**
   * @param waiter resumed when there may be room on the path again
   */
  public Peer(Waiter waiter) {
    share = new PathShare(waiter);
  }

  /** Sets path and window; both null: none. Nothing may be in flight. */
  public void path(Path path, PathWindow window, int sourcePortHint) {
    this.path = path;
    this.window = window;
    share.of(window);
    this.sourcePortHint = sourcePortHint;
  }

  public void destQp(int qpNum) {
    destQp = qpNum;
  }

  /** Sets the port of this end, 0 for none yet, and its P_Key. */
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

  /** The path; null before the address vector is set. */
  public Path path() {
    return path;
  }

  /** The window of the path. */
  public PathWindow window() {
    return window;
  }

  /** The queue pair's share of the window. */
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
