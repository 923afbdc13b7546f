package org.roce4j.port;

import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.port.NumberedDatagrams.freeUdpPort;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract of every kind of port; each kind has a test class that extends this one. */
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

  @AfterEach
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
