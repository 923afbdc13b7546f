package org.roce4j.port.linux;

import java.lang.foreign.MemorySegment;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.IcrcSealer;
import org.roce4j.verbs.Gid;

/**
 * Sends single datagrams to peers on this machine, through a {@link ConnectedSocket} for each peer.
 * To a peer on a network such a socket would gain little, because the look-up of a route is short
 * beside the time on the wire; and it could do harm, because firewalls may admit only the device's
 * port and switches choose the way by the source port. A path without such a socket is left to the
 * caller.
 *
 * <p>Opens a socket when a datagram to a new peer is sent, then allocates nothing. Not thread-safe:
 * it belongs to the thread that sends.
 */
final class LocalPeers {
  /** The greatest number of peers. Further ones wait for the place of a silent one. */
  static final int MOST = 8;

  /**
   * The number of datagrams sent to others after which a peer is silent, and after which a socket
   * is opened again that has failed. A fraction of a second of a ping-pong.
   */
  static final int PATIENCE = 1 << 16;

  /** A peer, and what was decided for it. */
  private static final class LocalPeer {
    /** Null: the place is free. */
    Path path;

    /** Null: its datagrams are sent in the ordinary way. */
    ConnectedSocket socket;

    /** The value of {@link #sent} at its last datagram or, without a socket, at the decision. */
    long seen;
  }

  private final MemorySegment errno;
  private final IcrcSealer sealer;
  private final int udpPort;

  private final boolean seals;

  private final LocalPeer[] peers = new LocalPeer[MOST];

  /** The number of datagrams so far. */
  private long sent;

  /** The peer of the last datagram. */
  private LocalPeer last;

  /**
   * @param seals whether datagrams bear an ICRC
   */
  LocalPeers(MemorySegment errno, IcrcSealer sealer, int udpPort, boolean seals) {
    this.errno = errno;
    this.sealer = sealer;
    this.udpPort = udpPort;
    this.seals = seals;
    for (int i = 0; i < MOST; i++) {
      peers[i] = new LocalPeer();
    }
    last = peers[0];
  }

  /**
   * Sends a train of one datagram, whose path has the default traffic class and hop limit.
   *
   * @param scope interface index for link-local addresses
   * @return whether it was sent; if not, the caller sends it
   */
  boolean send(Transmit train, int scope) {
    sent++;
    ConnectedSocket socket = socketTo(train.path(), scope);
    if (socket == null) {
      return false;
    }
    if (seals) {
      sealer.sealOne(train, socket.port(), socket.identification());
    }
    last.seen = sent;
    if (socket.send(train.memory().address(), train.length())) {
      train.sentFrom(socket.port());
      return true;
    }
    release(last);
    return false;
  }

  /** Its socket; null: none. Sets {@link #last} if there is one. */
  private ConnectedSocket socketTo(Path path, int scope) {
    LocalPeer peer = path == last.path ? last : placeOf(path);
    if (peer == null) {
      return null;
    }
    boolean decided = path.equals(peer.path);
    last = peer;
    peer.path = path; // an equal path may be another object, which the next datagram has as well
    if (!decided || peer.socket == null && sent - peer.seen >= PATIENCE) {
      release(peer);
      peer.seen = sent;
      peer.socket = isHere(path) ? ConnectedSocket.open(errno, path, udpPort, scope) : null;
    }
    return peer.socket;
  }

  /** The place of a path, or one that it may take; null: none. */
  private LocalPeer placeOf(Path path) {
    LocalPeer oldest = peers[0];
    for (LocalPeer peer : peers) {
      if (path.equals(peer.path)) {
        return peer;
      }
      if (peer.path == null || oldest.path != null && peer.seen < oldest.seen) {
        oldest = peer;
      }
    }
    return oldest.path == null || sent - oldest.seen >= PATIENCE ? oldest : null;
  }

  private static boolean isHere(Path path) {
    var remote = new Gid(path.remoteHigh(), path.remoteLow()).toInetAddress();
    try {
      return remote.isLoopbackAddress() || NetworkInterface.getByInetAddress(remote) != null;
    } catch (SocketException e) {
      return false;
    }
  }

  private void release(LocalPeer peer) {
    if (peer.socket != null) {
      peer.socket.close(errno);
      peer.socket = null;
    }
  }

  /** An address of the port is removed. */
  void forget(Gid local) {
    for (LocalPeer peer : peers) {
      Path path = peer.path;
      if (path != null && path.localHigh() == local.high() && path.localLow() == local.low()) {
        release(peer);
        peer.path = null;
      }
    }
  }

  void close() {
    for (LocalPeer peer : peers) {
      release(peer);
    }
  }
}
