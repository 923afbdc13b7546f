package org.roce4j.tools.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.roce4j.emulator.PortSelection;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** The machine that this process runs on. */
public final class LiveSystem implements SystemView {
  private static final int PATIENCE_MS = 500;

  @Override
  public String property(String name) {
    return System.getProperty(name, "");
  }

  @Override
  public List<String> lines(String file) {
    try {
      return Files.readAllLines(Path.of(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public List<String> names(String directory) {
    try (Stream<Path> entries = Files.list(Path.of(directory))) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  @Override
  public Optional<String> link(String path) {
    try {
      return Optional.of(Files.readSymbolicLink(Path.of(path)).toString());
    } catch (IOException | InvalidPathException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  @Override
  public boolean exists(String path) {
    return Files.exists(Path.of(path));
  }

  @Override
  public List<Interface> interfaces() {
    List<Interface> found = new ArrayList<>();
    try {
      for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (each.isUp()) {
          found.add(
              new Interface(
                  each.getName(), each.getMTU(), Collections.list(each.getInetAddresses())));
        }
      }
    } catch (SocketException e) {
      return found;
    }
    return found;
  }

  @Override
  public List<TriedPort> ports() {
    return PortSelection.providers().stream().map(LiveSystem::tried).toList();
  }

  private static TriedPort tried(PortProvider provider) {
    if (provider.unavailable().isPresent()) {
      return new TriedPort(provider.name(), provider.unavailable().get(), 0);
    }
    InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
    try (Port port = provider.open(options(loopback, freePort(loopback)))) {
      return new TriedPort(provider.name(), "", port.capabilities().maxTrain());
    } catch (IOException e) {
      return new TriedPort(provider.name(), "no socket can be bound (" + e + ")", 0);
    } catch (VerbsException e) {
      return new TriedPort(provider.name(), e.remedy(), 0);
    }
  }

  private static PortOptions options(InetAddress address, int port) {
    return PortOptions.of(List.of(Gid.of(address))).withUdpPort(port);
  }

  private static int freePort(InetAddress address) throws SocketException {
    try (DatagramSocket probe = new DatagramSocket(0, address)) {
      return probe.getLocalPort();
    }
  }

  @Override
  public boolean loopbackWorks() {
    byte[] ping = {1};
    try (DatagramSocket from = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"));
        DatagramSocket to = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.2"))) {
      to.setSoTimeout(PATIENCE_MS);
      from.send(new DatagramPacket(ping, 1, to.getLocalSocketAddress()));
      to.receive(new DatagramPacket(new byte[1], 1));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public Optional<InetAddress> sourceFor(InetAddress peer) {
    // Connecting a UDP socket asks the routing table and sends nothing.
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(peer, PortOptions.ROCE_UDP_PORT));
      return Optional.of(socket.getLocalAddress());
    } catch (SocketException | UncheckedIOException e) {
      return Optional.empty();
    }
  }
}
