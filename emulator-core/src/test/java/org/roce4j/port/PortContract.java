package org.roce4j.port;

import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.port.NumberedDatagrams.freeUdpPort;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of every kind of port; each kind has a test class that extends this one. A wake-up
 * that is lost fails a test within its limit, and the stack of the thread says what it waited for.
 */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class PortContract
    implements DatagramContract,
        TrainContract,
        WaitingContract,
        OpeningContract,
        AddressContract,
        GroupContract,
        DecoratedPortContract {
  private final List<Port> opened = new ArrayList<>();
  private int udpPort;

  @BeforeEach
  final void needsProvider() {
    assumeTrue(provider().unavailable().isEmpty(), () -> provider().unavailable().orElse(""));
    udpPort = freeUdpPort();
  }

  /** A port may wait for a thread that still waits at it. */
  @AfterEach
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  final void closeAll() {
    opened.forEach(Port::close);
  }

  @Override
  public final int udpPort() {
    return udpPort;
  }

  @Override
  public final Port open(PortOptions options) {
    Port port = openForAnother(options);
    port.adopt();
    return port;
  }

  @Override
  public final Port openForAnother(PortOptions options) {
    Port port = provider().open(options);
    opened.add(port);
    return port;
  }
}
