package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.roce4j.engine.cm.ConnectionRow;
import org.roce4j.engine.cm.ConnectionState;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Gid;

/**
 * The state table of connections on sockets: an id of a device in each state against the messages
 * of a peer that the test plays, and against the calls. What only time does is left to the engine's
 * test, whose clock is virtual. The next state is what a refused call names.
 */
public abstract class ConnectionRowsContract {
  private static final Gid PEER = Gid.parse("127.0.0.1");
  private static final Gid DEVICE = Gid.parse("127.0.0.2");
  private static final Set<String> TIME = Set.of("time", "patience");

  /** The kind of port under test. */
  protected abstract PortProvider provider();

  @TestFactory
  List<DynamicTest> everyStateAgainstEveryMessageAndCall() throws IOException {
    assumeTrue(provider().unavailable().isEmpty(), () -> provider().unavailable().orElse(""));
    int udpPort;
    try (DatagramSocket free = new DatagramSocket(0, DEVICE.toInetAddress())) {
      udpPort = free.getLocalPort();
    }
    return ConnectionRow.all().stream()
        .filter(row -> !TIME.contains(row.input()))
        .map(row -> DynamicTest.dynamicTest(row.name(), () -> check(row, udpPort)))
        .toList();
  }

  /** A program hears once that its connection has ended: here at the peer's DREQ. */
  private static boolean toldBefore(ConnectionRow row) {
    return row.state() == ConnectionState.DREQ_RCVD && row.told().equals("released");
  }

  private void check(ConnectionRow row, int udpPort) {
    try (EndOnSocket end = new EndOnSocket(provider(), PEER, DEVICE, udpPort)) {
      end.bring(row);
      end.put(row.input());
      assertEquals(row.sent(), end.sent(row.state()), "messages");
      String told = toldBefore(row) ? "" : row.told();
      assertEquals(told, end.told(told), "events");
      assertTrue(end.isIn(row.next()), () -> "the next state is not " + row.next());
    }
  }
}
