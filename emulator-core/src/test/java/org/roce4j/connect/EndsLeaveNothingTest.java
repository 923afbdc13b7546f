package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.device.Refusals;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.VerbsException;

/** An end that was closed, or could not be made or connected, leaves no object in its device. */
@Timeout(60)
class EndsLeaveNothingTest {
  private static final String HERE = "127.0.0.1";
  private static final ConnectionOptions WITHOUT_ADDRESS =
      ConnectionOptions.DEFAULT.withGidIndex(9);

  /** INIT succeeds, and RTR or RTS does not. */
  private static final ConnectionOptions NOT_READY = changing(attr -> attr.retryCnt(9));

  private static final ConnectionOptions NOT_MADE = changing(attr -> attr.portNum(9));

  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  private final EmulatedDevice device = network.device("this", Gid.parse("10.0.0.1"));
  private final EmulatedDevice peer = network.device("peer", Gid.parse("10.0.0.2"));
  private final EmulatedDevice newer = network.device("newer", Gid.parse("fd00::3"));

  private static ConnectionOptions changing(Consumer<QpAttr> change) {
    return ConnectionOptions.DEFAULT.withAttributes(change);
  }

  @BeforeEach
  void remember() {
    List.of(device, peer, newer).forEach(EmulatedDevice::rememberOrigins);
  }

  private void nothingIsLeft() {
    Stream.of(device, peer, newer)
        .forEach(each -> assertEquals(Map.of(), each.openObjects(), each.name()));
  }

  /** Why an end is not connected that has its device for itself. */
  enum Refusal {
    NO_ADDRESS(WITHOUT_ADDRESS),
    NOT_MADE(EndsLeaveNothingTest.NOT_MADE),
    NOBODY_LISTENS(ConnectionOptions.DEFAULT);

    private final ConnectionOptions options;

    Refusal(ConnectionOptions options) {
      this.options = options;
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusedCallOfADevice(Refusal refusal) {
    assertThrows(VerbsException.class, () -> Connection.connect(device, HERE, 1, refusal.options));
    nothingIsLeft();
  }

  @ParameterizedTest
  @EnumSource
  void refusedCallOfAContext(Refusal refusal) {
    try (Context context = device.open()) {
      Map<AutoCloseable, StackTraceElement> before = device.openObjects();
      assertThrows(
          VerbsException.class, () -> Connection.connect(context, HERE, 1, refusal.options));
      assertEquals(before, device.openObjects());
    }
    nothingIsLeft();
  }

  /** The two ends have addresses of two IP versions, and neither can reach the other. */
  @Test
  void endsOfTwoVersions() throws Exception {
    try (Listener listener = Connection.listen(newer, 0)) {
      CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(listener::accept);
      assertThrows(VerbsException.class, () -> Connection.connect(device, HERE, listener.port()));
      assertThrows(Exception.class, () -> accepted.get(10, TimeUnit.SECONDS));
    }
    nothingIsLeft();
  }

  @Test
  void acceptedPeerThatHangsUp() throws IOException {
    try (Listener listener = Connection.listen(device, 0);
        Socket socket = new Socket(HERE, listener.port())) {
      socket.shutdownOutput();
      assertThrows(VerbsException.class, listener::accept);
    }
    nothingIsLeft();
  }

  @Test
  void acceptedPeerThatHangsUpBeforeItIsDone() throws IOException {
    try (Listener listener = Connection.listen(device, 0);
        Socket socket = new Socket(HERE, listener.port())) {
      new AddressExchange(socket, Duration.ofSeconds(10))
          .send(new ExchangedAddress(0, 17, 0, Gid.parse("10.0.0.2")));
      socket.shutdownOutput();
      assertThrows(VerbsException.class, listener::accept);
    }
    nothingIsLeft();
  }

  @Test
  void closedConnectionsOfDevices() throws Exception {
    try (Listener listener = Connection.listen(device, 0)) {
      CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(listener::accept);
      Connection client = Connection.connect(peer, HERE, listener.port());
      Connection server = accepted.get(10, TimeUnit.SECONDS);
      client.expose(64);
      client.close();
      server.close();
    }
    nothingIsLeft();
  }

  /** The first end of a pair is made, and the second is not, or cannot reach the first. */
  @Test
  void pairsWhoseSecondEndIsRefused() {
    ConnectionOptions good = ConnectionOptions.DEFAULT;
    try (Context one = device.open();
        Context other = peer.open();
        Context third = newer.open()) {
      List<Map<AutoCloseable, StackTraceElement>> before =
          Stream.of(device, peer, newer).map(EmulatedDevice::openObjects).toList();
      for (ConnectionOptions bad : List.of(WITHOUT_ADDRESS, NOT_MADE, NOT_READY)) {
        assertThrows(VerbsException.class, () -> RcPair.connect(one, good, other, bad));
      }
      for (ConnectionOptions bad : List.of(WITHOUT_ADDRESS, NOT_MADE)) {
        assertThrows(VerbsException.class, () -> UdPair.connect(one, good, other, bad));
        assertThrows(VerbsException.class, () -> DatagramEnd.open(one, bad));
      }
      Refusals.refused(Errno.EAFNOSUPPORT, () -> RcPair.connect(one, third));
      assertThrows(VerbsException.class, () -> UdPair.connect(one, third));
      assertEquals(
          before, Stream.of(device, peer, newer).map(EmulatedDevice::openObjects).toList());
    }
    nothingIsLeft();
  }

  @Test
  void datagramEndThatChangesItsDestination() {
    try (Context context = device.open()) {
      Map<AutoCloseable, StackTraceElement> before = device.openObjects();
      try (DatagramEnd end = DatagramEnd.open(context)) {
        int made = device.openObjects().size();
        for (int i = 0; i < 3; i++) {
          end.to(new DatagramAddress(Gid.parse("10.0.0.2"), 17 + i));
          Map<AutoCloseable, StackTraceElement> with = device.openObjects();
          assertEquals(made + 1, with.size(), "one address handle at a time");
          end.to(new DatagramAddress(Gid.parse("10.0.0.2"), 17 + i));
          assertEquals(with, device.openObjects(), "the same destination");
        }
      }
      assertEquals(before, device.openObjects());
    }
  }
}
