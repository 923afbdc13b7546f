package org.roce4j.port.netty;

import io.netty.channel.ChannelException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.roce4j.engine.datagram.Path;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** The sockets of a port: one for each address and one for each joined group. */
final class PortSockets {
  private final PortOptions options;
  private final SocketFactory factory;
  private final List<NettySocket> addresses = new CopyOnWriteArrayList<>();
  private final CopyOnWriteArrayList<NettySocket> groups = new CopyOnWriteArrayList<>();

  /**
   * Opens a socket for each address. If one fails, none stays open.
   *
   * @throws VerbsException EIO, or the exception of the factory
   */
  PortSockets(PortOptions options, SocketFactory factory) {
    this.options = options;
    this.factory = factory;
    try {
      options.addresses().forEach(this::add);
    } catch (RuntimeException e) {
      closeUnderneath();
      throw e;
    }
  }

  /** Opens a socket for an additional address. */
  NettySocket add(Gid gid) {
    try {
      NettySocket socket = factory.open(options, gid.high(), gid.low());
      addresses.add(socket);
      return socket;
    } catch (IOException | ChannelException e) {
      throw new VerbsException(Errno.EIO, "cannot open a UDP socket for " + gid + ": " + e, e);
    }
  }

  /** Removes an address and returns its socket; null if the port did not have the address. */
  NettySocket remove(Gid gid) {
    for (NettySocket socket : addresses) {
      if (socket.is(gid.high(), gid.low())) {
        addresses.remove(socket);
        return socket;
      }
    }
    return null;
  }

  List<NettySocket> addresses() {
    return addresses;
  }

  void forEach(Consumer<NettySocket> action) {
    addresses.forEach(action);
    groups.forEach(action);
  }

  /** The socket of the path's local address; null if there is none. */
  NettySocket of(Path path) {
    for (int i = 0; i < addresses.size(); i++) {
      if (addresses.get(i).is(path.localHigh(), path.localLow())) {
        return addresses.get(i);
      }
    }
    return null;
  }

  /**
   * Joins a group by one of the port's addresses.
   *
   * @return the socket opened for it; null if the group already has one for that address
   */
  NettySocket join(Gid group, Gid own) throws IOException {
    NettySocket known = member(group, own);
    if (known != null) {
      known.join();
      return null;
    }
    NettySocket by = socketOf(group, own);
    NettySocket socket = factory.openGroup(options, group.high(), group.low(), by);
    socket.heardBy(own);
    groups.add(socket);
    return socket;
  }

  /**
   * Undoes one join of a group.
   *
   * @return the group's socket, which the caller closes, if the last member has left; else null
   */
  NettySocket leave(Gid group, Gid own) {
    NettySocket socket = member(group, own);
    if (socket == null || !socket.leave()) {
      return null;
    }
    groups.remove(socket);
    return socket;
  }

  private NettySocket socketOf(Gid group, Gid own) {
    for (NettySocket socket : addresses) {
      if (socket.is(own.high(), own.low()) && socket.ipv4() == group.isIpv4Mapped()) {
        return socket;
      }
    }
    throw Errno.EINVAL.refusal("%s cannot be joined by %s", group, own);
  }

  private NettySocket member(Gid group, Gid own) {
    for (NettySocket socket : groups) {
      if (socket.is(group.high(), group.low()) && socket.isHeardBy(own)) {
        return socket;
      }
    }
    return null;
  }

  /** Closes the descriptors when the event loop, which owns the channels, does not run. */
  void closeUnderneath() {
    forEach(
        socket -> {
          try {
            socket.closeUnderneath();
          } catch (IOException e) {
            // The descriptor is released nevertheless.
            return;
          }
        });
  }
}
