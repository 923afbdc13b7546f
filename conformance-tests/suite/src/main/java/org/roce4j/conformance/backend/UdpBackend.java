package org.roce4j.conformance.backend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.PortSelection;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.VerbsException;

/** The emulator on UDP sockets of this machine, in real time, on a UDP port of its own. */
public final class UdpBackend implements Backend {
  private static final InetAddress FIRST = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress SECOND = InetAddress.ofLiteral("127.0.0.2");
  private static final long PATIENCE_NS = 20_000_000_000L;

  /** Another process may take a free port before it is bound. */
  private static final int MOST_PORTS = 10;

  private final String transport;
  private final InetAddress nearAddress;
  private final InetAddress farAddress;
  private final Ends ends;

  /**
   * Both devices.
   *
   * @param nearKeeper keeps the sockets of the near device open from one link to the next
   * @param farKeeper keeps the sockets of the far device open from one link to the next
   */
  private record Ends(
      int udpPort,
      EmulatedDevice near,
      EmulatedDevice far,
      Context nearKeeper,
      Context farKeeper) {}

  /**
   * Binds sockets of 127.0.0.1 and 127.0.0.2.
   *
   * @param transport {@code auto}, or the name of a port such as {@code linux} or {@code netty}
   * @throws org.roce4j.verbs.VerbsException if that cannot be
   */
  public UdpBackend(String transport) {
    this(transport, FIRST, SECOND);
  }

  /**
   * Binds the sockets.
   *
   * @param transport {@code auto}, or the name of a port such as {@code linux} or {@code netty}
   * @throws org.roce4j.verbs.VerbsException if that cannot be
   */
  public UdpBackend(String transport, InetAddress near, InetAddress far) {
    nearAddress = near;
    farAddress = far;
    this.transport = PortSelection.choose(transport).name();
    ends = onFreePort(this::ends);
  }

  private Ends ends(int udpPort) {
    EmulatedDevice near = Emulator.device(options("near", nearAddress, udpPort));
    EmulatedDevice far = Emulator.device(options("far", farAddress, udpPort));
    Context nearKeeper = near.open();
    try {
      return new Ends(udpPort, near, far, nearKeeper, far.open());
    } catch (RuntimeException e) {
      nearKeeper.close();
      throw e;
    }
  }

  private DeviceOptions options(String name, InetAddress address, int udpPort) {
    return DeviceOptions.of(name, Gid.of(address))
        .withTransport(transport)
        .withUdpPort(udpPort)
        .withActiveMtu(Mtu.MTU_4096);
  }

  /** Runs {@code opening} with a UDP port that is free on both addresses. */
  private <T> T onFreePort(IntFunction<T> opening) {
    for (int i = 1; true; i++) {
      try {
        return opening.apply(freePort());
      } catch (VerbsException e) {
        if (e.errno() != Errno.EADDRINUSE || i == MOST_PORTS) {
          throw e;
        }
      }
    }
  }

  /** A number that is free on the near address, and most likely on the far one. */
  private int freePort() {
    try (DatagramSocket free = new DatagramSocket(new InetSocketAddress(nearAddress, 0))) {
      return free.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("no UDP port is free on " + addresses(), e);
    }
  }

  @Override
  public String name() {
    return "udp";
  }

  @Override
  public String description() {
    return "emulated devices on UDP sockets of " + addresses() + " (port " + transport + ")";
  }

  private String addresses() {
    return nearAddress.getHostAddress() + " and " + farAddress.getHostAddress();
  }

  @Override
  public Set<Capability> capabilities() {
    Set<Capability> all =
        EnumSet.complementOf(EnumSet.of(Capability.VIRTUAL_TIME, Capability.KERNEL_DEVICE));
    if (!nearAddress.isLoopbackAddress() || !Gid.of(nearAddress).isIpv4Mapped()) {
      all.remove(Capability.ADDRESS_CONTROL);
      all.remove(Capability.SEVERAL_PORTS);
    }
    return all;
  }

  @Override
  public List<Deviation> deviations() {
    return List.of();
  }

  @Override
  public Link open() {
    return new UdpLink();
  }

  private Context small(int udpPort) {
    return Emulator.device(FewObjects.of(options("small", nearAddress, udpPort))).open();
  }

  /** Another address of the loopback interface. */
  private static Gid another(Gid near, int which) {
    return Gid.ofIpv4(near.ipv4() ^ which << 22);
  }

  @Override
  public void close() {
    ends.nearKeeper().close();
    ends.farKeeper().close();
  }

  private final class UdpLink extends EmulatedLink implements RealTimeLink {
    UdpLink() {
      super(ends.near(), ends.far());
    }

    @Override
    public long patienceNs() {
      return PATIENCE_NS;
    }

    @Override
    Gid more() {
      return another(nearAddress(), 1);
    }

    @Override
    Context firstSmall() {
      return onFreePort(UdpBackend.this::small);
    }

    @Override
    EmulatedDevice newTwoPorts() {
      Gid near = Gid.of(nearAddress);
      Gid first = another(near, 2);
      return Emulator.device(
          options("dual", first.toInetAddress(), ends.udpPort()).withPort(another(near, 3)));
    }
  }
}
