package org.roce4j.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.emulator.SilenceDetector;
import org.roce4j.fabric.FabricCapture;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.capture.CaptureExtent;

/** Devices on a network in memory and virtual time. */
final class FabricNetwork extends OpenedNetwork {
  private static final int FIRST_ADDRESS = 0x0a00_0001; // 10.0.0.1
  private static final int PORTS_APART = 0x100; // 10.0.1.1

  private final FabricDevices fabric;
  private FabricCapture capture;

  FabricNetwork(RequestedNetwork request) {
    super(request);
    fabric = new FabricDevices(FabricOptions.of(request.seed()).withLink(request.faults().links()));
    try {
      if (request.capture()) {
        capture =
            fabric.fabric().capture(captureFile(request.directory()), CaptureExtent.OF_A_TEST);
      }
      for (int i = 0; i < request.devices(); i++) {
        DeviceOptions options = request.options(i, this::address);
        add(fabric.device(failedRequests().listenTo(options)));
      }
      fabric
          .fabric()
          .endOfTime(
              request.virtualSeconds() * 1_000_000_000L, request.datagrams(), this::situation);
      if (!request.faults().packets().isEmpty()) {
        fabric.fabric().faultsAt(request.faults().ofPackets(), addressesOfFirst());
      }
    } catch (IOException e) {
      close();
      throw new UncheckedIOException("cannot capture into " + request.directory(), e);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  LongSupplier clock() {
    return fabric.fabric()::nowNs;
  }

  static Path captureFile(Path directory) {
    return directory.resolve("packets.pcapng");
  }

  private Gid address(int place) {
    int port = place / request().devices();
    return Gid.ofIpv4(FIRST_ADDRESS + port * PORTS_APART + place % request().devices());
  }

  private List<Gid> addressesOfFirst() {
    return request().options(0, this::address).ports().stream().flatMap(List::stream).toList();
  }

  FabricDevices fabricDevices() {
    return fabric;
  }

  @Override
  public String transport() {
    return EmulatedRdma.FABRIC;
  }

  private String situation() {
    return String.join("; ", SilenceDetector.situation(emulatedDevices()))
        + "; @EmulatedRdma(virtualSeconds = ..., datagrams = ...) allows more";
  }

  @Override
  List<String> summary() {
    return List.of(
        "fabric    " + fabric.fabric().counts(),
        "time      " + fabric.fabric().nowNs() + " ns",
        "capture   "
            + (capture == null ? "none" : capture.leftOut() + " packets in the middle left out"),
        "digest    " + Long.toHexString(fabric.fabric().digest()));
  }

  @Override
  public void close() {
    try {
      super.close();
      if (capture != null) {
        capture.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the capture in " + directory() + " is incomplete", e);
    } finally {
      fabric.close();
    }
  }
}
