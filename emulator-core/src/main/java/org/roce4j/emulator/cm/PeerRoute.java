package org.roce4j.emulator.cm;

import java.net.Inet4Address;
import java.net.InetSocketAddress;
import org.roce4j.device.CmDevice;
import org.roce4j.engine.cm.CmTiming;
import org.roce4j.engine.cm.Route;
import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.mad.AddressHeader;

/** The route from an id's address on a device to its peer's address. */
record PeerRoute(CmDevice device, InetSocketAddress local, InetSocketAddress peer) {
  static final int HOP_LIMIT = 64;
  private static final int FLOW_LABEL_BITS = 0xF_FFFF;

  /**
   * The present index of a path's own address. If the address was removed, its old index may belong
   * to another address; then the index is -1, which no queue pair accepts.
   */
  static int localIndex(CmDevice device, Path path) {
    return device.gidIndex(new Gid(path.localHigh(), path.localLow()));
  }

  /** The route in the form that a connection gives to its peer and its queue pair. */
  Route with(IdOptions options) {
    Gid own = Gid.of(local.getAddress());
    Gid other = Gid.of(peer.getAddress());
    Path path =
        new Path(
            device.gidIndex(own),
            own.high(),
            own.low(),
            other.high(),
            other.low(),
            options.tos(),
            HOP_LIMIT);
    int flowLabel = (local.getPort() << 16 ^ peer.getPort() ^ other.hashCode()) & FLOW_LABEL_BITS;
    return new Route(
        path,
        device.activeMtu().value(),
        CmTiming.ackTimeout(CmTiming.ACK_DELAY, options.packetLifetime()),
        flowLabel);
  }

  /** The header at the beginning of a request's private data (annex A11). */
  AddressHeader addresses() {
    Gid own = Gid.of(local.getAddress());
    Gid other = Gid.of(peer.getAddress());
    return new AddressHeader(
        local.getAddress() instanceof Inet4Address ? 4 : 6,
        local.getPort(),
        own.high(),
        own.low(),
        other.high(),
        other.low());
  }
}
