package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.roce4j.verbs.Gid;

/** Ports of one kind, with the tools of their tests. */
public interface PortsUnderTest {
  Gid LEFT = Gid.parse("127.0.0.1");
  Gid RIGHT = Gid.parse("127.0.0.2");
  Gid LOOPBACK6 = Gid.parse("::1");

  /** Longer than a busy machine keeps a thread from running, and than any step of a test. */
  long PATIENCE_NS = 20_000_000_000L;

  /** The kind of port under test. */
  PortProvider provider();

  /** The UDP port of this test's ports; not 4791, so that tests run in parallel. */
  int udpPort();

  /** Opens a port that the calling thread adopts and that is closed at the end. */
  Port open(PortOptions options);

  /** Opens a port that another thread will adopt and that is closed at the end. */
  Port openForAnother(PortOptions options);

  /** Forbids a socket to leave checksums to the network device, so that it cannot segment. */
  default void refuseTrains(int descriptor) {
    throw new AssertionError("this kind of port sends trains");
  }

  default PortOptions options(Gid... addresses) {
    return PortOptions.of(List.of(addresses)).withUdpPort(udpPort());
  }

  /** Fails for a port whose waits end although nothing came. */
  default void assertSleeps(Port port) {
    long start = System.nanoTime();
    for (int i = 0; i < 20; i++) {
      port.await(5_000_000);
    }
    long lasted = System.nanoTime() - start;
    assertTrue(lasted > 50_000_000, () -> "20 times 5 ms lasted " + lasted + " ns");
  }
}
