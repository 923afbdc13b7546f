package org.roce4j.tools.pingpong;

import java.net.InetAddress;
import org.roce4j.tools.console.Interruption;

/** How two processes announce their queue pairs, connect them, and part. */
interface PeerExchange extends AutoCloseable {
  /** The local end of the first connection. */
  InetAddress localAddress();

  /** The local address that leads to the peer, for a device. */
  InetAddress addressForDevice();

  /**
   * Connects the queue pairs of the side that was called; when this returns it may be spoken to.
   */
  void asServer(PingPongPlayer player);

  /** Connects the queue pairs of the side that called; when this returns it may speak. */
  void asClient(PingPongPlayer player);

  /** Waits until the peer needs nothing more from this side. */
  void part(PingPongPlayer player, Interruption interruption);

  @Override
  void close();
}
