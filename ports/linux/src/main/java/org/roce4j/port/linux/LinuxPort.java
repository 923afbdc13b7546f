package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IcrcJudge;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * A port on UDP sockets, one per address and one per joined group. All native memory is allocated
 * at opening; sending and receiving allocate nothing.
 */
final class LinuxPort implements Port {
  /** The time to wait for room in a full send buffer before the train counts as lost. */
  private static final long SEND_PATIENCE_NS = 5_000_000;

  private static final int EINTR = -Errno.EINTR.number();
  private static final int EAGAIN = -Errno.EAGAIN.number();
  private static final int EIO = -Errno.EIO.number();
  private static final int EINVAL = -Errno.EINVAL.number();
  private static final int EMSGSIZE = -Errno.EMSGSIZE.number();
  private static final int EOPNOTSUPP = -Errno.EOPNOTSUPP.number();
  private static final int ECONNREFUSED = -Errno.ECONNREFUSED.number();

  // Automatic: memory outlives every call that uses it, even if another thread closes the port.
  private final Arena arena = Arena.ofAuto();
  private final MemorySegment errno = Libc.errnoOf(arena);
  private final PortOptions options;
  private final PortCapabilities capabilities;
  private final Counters counters = new Counters();
  private final IcrcSealer sealer;
  private final SendMessage message;
  private final SocketReader reader;
  private final LocalPeers localPeers;
  private final SocketWaiter waiter;
  private final MemorySegment writable = arena.allocate(8, 8);
  private final MemorySegment patience = arena.allocate(16, 8);
  private final AtomicBoolean closed = new AtomicBoolean();

  /** How the port's sockets share their addresses with other ports of the device. */
  private final UdpSocket.Sharing sharing;

  /** The number of ports that share the addresses, a power of two. */
  private final int sharers;

  private volatile UdpSocket[] addresses;

  /** The sockets of the addresses, then those of groups. The array is replaced when it changes. */
  private volatile UdpSocket[] sockets;

  private int turn;
  private Path lastPath;
  private UdpSocket lastSocket;

  LinuxPort(PortOptions options) {
    this(options, UdpSocket.Sharing.ALONE, 1);
  }

  /**
   * Opens ports on the same addresses. A datagram to a queue pair arrives at the port whose index
   * is in the low bits of the queue pair's number.
   *
   * @param count a power of two
   */
  static List<Port> several(PortOptions options, int count) {
    List<Port> ports = new ArrayList<>();
    try {
      LinuxPort first = new LinuxPort(options, UdpSocket.Sharing.FIRST, count);
      ports.add(first);
      while (ports.size() < count) {
        ports.add(new LinuxPort(options, UdpSocket.Sharing.JOINS, count));
      }
      for (UdpSocket socket : first.addresses) {
        socket.steer(first.errno, count);
      }
      return ports;
    } catch (RuntimeException | Error e) {
      ports.forEach(Port::close);
      throw e;
    }
  }

  private LinuxPort(PortOptions options, UdpSocket.Sharing sharing, int sharers) {
    this.options = options;
    this.sharing = sharing;
    this.sharers = sharers;
    waiter = new SocketWaiter(arena);
    message = new SendMessage(arena, options.udpPort());
    patience.set(Abi.LONG, 8, SEND_PATIENCE_NS);
    addresses = new UdpSocket[options.addresses().size()];
    try {
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = open(errno, options.addresses().get(i));
        waiter.add(addresses[i].fd());
      }
    } catch (RuntimeException | Error e) {
      for (UdpSocket socket : addresses) {
        if (socket != null) {
          socket.close(errno);
        }
      }
      waiter.close();
      throw e;
    }
    sockets = addresses.clone();
    boolean trains = Arrays.stream(addresses).allMatch(UdpSocket::trains);
    IdentificationRule rule = trains ? IdentificationRule.TRAIN_INDEX : IdentificationRule.ZERO;
    int maxTrain = trains ? Transmit.MAX_SEGMENTS : 1;
    capabilities = new PortCapabilities("linux", true, maxTrain, rule, true, true, true, true);
    sealer = new IcrcSealer(rule, options.udpPort());
    localPeers = new LocalPeers(errno, sealer, options.udpPort(), options.checkIcrc());
    IcrcJudge judge = new IcrcJudge(counters, options.udpPort(), options.checkIcrc());
    reader = new SocketReader(arena, errno, judge, counters);
  }

  private UdpSocket open(MemorySegment errno, Gid gid) {
    return UdpSocket.ofAddress(errno, options, gid.high(), gid.low(), scope(gid), sharing);
  }

  /** The interface of a link-local address or a group; 0 if it is not determined. */
  private static int scope(Gid gid) {
    if (gid.isIpv4Mapped()) {
      return 0;
    }
    try {
      NetworkInterface network = NetworkInterface.getByInetAddress(gid.toInetAddress());
      return network == null ? 0 : network.getIndex();
    } catch (SocketException e) {
      throw new VerbsException(Errno.ENODEV, "cannot look at network interfaces", e);
    }
  }

  @Override
  public PortCapabilities capabilities() {
    return capabilities;
  }

  /** By default the kernel ends a sleep up to 50 us late, to end several sleeps together. */
  @Override
  public void wakePunctually() {
    Libc.timerSlack(1);
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    if (closed.get()) {
      return 0;
    }
    UdpSocket[] sockets = this.sockets;
    int taken = 0;
    for (int i = 0; i < sockets.length && taken < budget; i++) {
      turn = turn + 1 < sockets.length ? turn + 1 : 0;
      taken += reader.read(sockets[turn], sink, budget - taken);
    }
    return taken;
  }

  @Override
  public void send(Transmit train) {
    if (train.isEmpty() || closed.get()) {
      return;
    }
    UdpSocket socket = socketOf(train.path());
    if (socket == null) {
      counters.add(Counter.SEND_ERROR, train.segments());
      return;
    }
    message.to(train.path(), socket.scope());
    train.sentFrom(0);
    if (train.segments() > 1 && !socket.trains()) {
      sendSingly(train, socket);
    } else if (!isLone(train, socket) || !localPeers.send(train, socket.scope())) {
      sendTrain(train, socket);
    }
    Reference.reachabilityFence(train);
  }

  private boolean isLone(Transmit train, UdpSocket socket) {
    return train.segments() == 1 && socket.lone() && message.plain();
  }

  private UdpSocket socketOf(Path path) {
    if (path != lastPath) {
      lastSocket = null;
      for (UdpSocket socket : addresses) {
        if (socket.is(path.localHigh(), path.localLow())) {
          lastSocket = socket;
          break;
        }
      }
      lastPath = path;
    }
    return lastSocket;
  }

  private void sendTrain(Transmit train, UdpSocket socket) {
    boolean single = train.segments() == 1;
    if (options.checkIcrc()) {
      sealer.seal(train, options.udpPort());
    }
    int result =
        sendBytes(
            socket, train.memory().address(), train.length(), single ? 0 : train.segmentSize());
    if (result >= 0) {
      return;
    }
    if (single) {
      counters.increment(Counter.SEND_ERROR);
    } else if (result == EIO || result == EINVAL || result == EMSGSIZE || result == EOPNOTSUPP) {
      counters.increment(Counter.GSO_REFUSED);
      if (sendSingly(train, socket)) {
        socket.refuseTrains();
      }
    } else {
      counters.add(Counter.SEND_ERROR, train.segments());
    }
  }

  /**
   * Sends the datagrams one by one; returns whether all were sent, so that the kernel refuses only
   * trains.
   */
  private boolean sendSingly(Transmit train, UdpSocket socket) {
    if (options.checkIcrc()) {
      sealer.sealSingly(train, options.udpPort());
    }
    long address = train.memory().address();
    boolean all = true;
    for (int k = 0; k < train.segments(); k++) {
      int size = train.sizeOf(k);
      if (sendBytes(socket, address, size, 0) < 0) {
        counters.increment(Counter.SEND_ERROR);
        all = false;
      }
      address += size;
    }
    return all;
  }

  private int sendBytes(UdpSocket socket, long address, int length, int segmentSize) {
    int result;
    if (segmentSize == 0 && message.plain()) {
      result = Libc.trySendto(socket.fd(), address, length, message.name(), message.nameLength());
    } else {
      result = Libc.trySendmsg(socket.fd(), message.of(address, length, segmentSize), 0);
    }
    if (result >= 0) {
      return result;
    }
    MemorySegment header = message.of(address, length, segmentSize);
    result = Libc.sendmsg(errno, socket.fd(), header, 0); // this call succeeds or returns the errno
    if (result == EAGAIN) {
      // The network device is slower than the engine: wait for it, as rxe does, instead of losing a
      // train.
      writable.set(Abi.INT, 0, socket.fd());
      writable.set(Abi.INT, 4, Abi.POLLOUT);
      Libc.ppoll(writable, 1, patience);
    }
    if (result == EAGAIN || result == EINTR || result == ECONNREFUSED) {
      // The last call reported the error of an earlier datagram, not of this one.
      result = Libc.sendmsg(errno, socket.fd(), header, 0);
    }
    return result;
  }

  @Override
  public void await(long timeoutNs) {
    waiter.await(timeoutNs);
  }

  @Override
  public void wakeup() {
    waiter.wakeup();
  }

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  @Override
  public long receivedNs() {
    return reader.receivedNs();
  }

  @Override
  public Counters counters() {
    return counters;
  }

  @Override
  public synchronized void join(Gid group, Gid own) {
    if (!group.isMulticast()) {
      throw new VerbsException(Errno.EINVAL, group + " is no multicast group");
    }
    UdpSocket known = member(group, own);
    if (known != null) {
      known.join();
      return;
    }
    UdpSocket by = socketOf(group, own);
    try (Arena local = Arena.ofConfined()) {
      MemorySegment errno = Libc.errnoOf(local);
      UdpSocket socket = UdpSocket.ofGroup(errno, options, group.high(), group.low(), by);
      try {
        UdpSocket[] more = with(sockets, socket);
        waiter.add(socket.fd());
        sockets = more;
      } catch (OutOfMemoryError e) {
        socket.close(errno);
        throw e;
      }
    }
  }

  private UdpSocket socketOf(Gid group, Gid own) {
    for (UdpSocket socket : addresses) {
      if (socket.is(own.high(), own.low()) && socket.ipv4() == group.isIpv4Mapped()) {
        return socket;
      }
    }
    throw Errno.EINVAL.refusal("%s cannot be joined by %s", group, own);
  }

  private UdpSocket member(Gid group, Gid own) {
    UdpSocket[] sockets = this.sockets;
    for (int i = addresses.length; i < sockets.length; i++) {
      if (sockets[i].is(group.high(), group.low()) && sockets[i].isHeardBy(own)) {
        return sockets[i];
      }
    }
    return null;
  }

  @Override
  public synchronized void leave(Gid group, Gid own) {
    UdpSocket socket = member(group, own);
    if (socket == null || !socket.leave()) {
      return;
    }
    sockets = without(sockets, socket);
    try (Arena local = Arena.ofConfined()) {
      MemorySegment errno = Libc.errnoOf(local);
      waiter.remove(socket.fd());
      socket.close(errno);
    }
  }

  @Override
  public synchronized void add(Gid address) {
    try (Arena local = Arena.ofConfined()) {
      MemorySegment errno = Libc.errnoOf(local);
      UdpSocket socket = open(errno, address);
      try {
        if (sharing == UdpSocket.Sharing.JOINS) {
          socket.steer(errno, sharers);
        }
        waiter.add(socket.fd());
        replace(with(addresses, socket), groups());
      } catch (RuntimeException | Error e) {
        waiter.remove(socket.fd());
        socket.close(errno);
        throw e;
      }
    }
  }

  @Override
  public synchronized void remove(Gid address) {
    for (UdpSocket socket : addresses) {
      if (socket.is(address.high(), address.low())) {
        replace(without(addresses, socket), groups());
        localPeers.forget(address);
        try (Arena local = Arena.ofConfined()) {
          waiter.remove(socket.fd());
          socket.close(Libc.errnoOf(local));
        }
      }
    }
  }

  private UdpSocket[] groups() {
    return Arrays.copyOfRange(sockets, addresses.length, sockets.length);
  }

  private void replace(UdpSocket[] own, UdpSocket[] groups) {
    UdpSocket[] all = Arrays.copyOf(own, own.length + groups.length);
    System.arraycopy(groups, 0, all, own.length, groups.length);
    addresses = own;
    sockets = all;
    lastPath = null;
  }

  private static UdpSocket[] with(UdpSocket[] some, UdpSocket one) {
    UdpSocket[] more = Arrays.copyOf(some, some.length + 1);
    more[some.length] = one;
    return more;
  }

  private static UdpSocket[] without(UdpSocket[] some, UdpSocket one) {
    return Arrays.stream(some).filter(each -> each != one).toArray(UdpSocket[]::new);
  }

  @Override
  public synchronized void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    waiter.close();
    localPeers.close();
    try (Arena local = Arena.ofConfined()) {
      MemorySegment errno = Libc.errnoOf(local);
      for (UdpSocket socket : sockets) {
        socket.close(errno);
      }
    }
  }
}
