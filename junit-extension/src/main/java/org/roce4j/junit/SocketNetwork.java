package org.roce4j.junit;

import java.util.List;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.PortSelection;
import org.roce4j.wire.capture.CaptureExtent;

/** Devices on UDP sockets of the loopback interface. */
final class SocketNetwork extends OpenedNetwork {
  private static final int WHOLE_PACKETS = 65535;

  private final String transport;

  SocketNetwork(RequestedNetwork request) {
    super(request);
    String wanted =
        request.transport().equals(EmulatedRdma.UDP) ? DeviceOptions.AUTO : request.transport();
    transport = PortSelection.choose(wanted).name();
    try {
      LoopbackAddresses places =
          LoopbackAddresses.of(request.addresses(), request.devices() * request.ports());
      for (int i = 0; i < request.devices(); i++) {
        DeviceOptions options =
            request
                .options(i, places.gids()::get)
                .withTransport(transport)
                .withUdpPort(places.udpPort())
                .withFaults(request.faults().ofPort(i));
        if (request.capture()) {
          options =
              options
                  .withCapture(
                      request.directory().resolve(request.nameOf(i) + ".pcapng"), WHOLE_PACKETS)
                  .withCaptureExtent(CaptureExtent.OF_A_TEST);
        }
        add(Emulator.device(failedRequests().listenTo(options)));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public String transport() {
    return transport;
  }

  @Override
  List<String> summary() {
    return List.of();
  }
}
