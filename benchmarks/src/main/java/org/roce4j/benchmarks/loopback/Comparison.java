package org.roce4j.benchmarks.loopback;

import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Measures a workload on a device and on its twin, in turn: two processes hold both, are warmed up,
 * then run pairs, of which every second begins with the twin.
 *
 * @param transport name of the port
 * @param pairs how many
 * @param runNs how long each run takes
 */
public record Comparison(String transport, Workload workload, int pairs, long runNs) {
  private static final String ACTIVE = "127.0.0.1";
  private static final String PASSIVE = "127.0.0.2";
  private static final long WARM_UP_NS = 2_000_000_000L;

  /**
   * What came out.
   *
   * @param ratios device to twin
   * @param device median of its runs, in the workload's unit
   * @param twin likewise
   * @param allocatedPerPacket bytes that the device's sending thread allocated per packet, median
   */
  public record Outcome(
      Comparison comparison,
      Ratios ratios,
      double device,
      double twin,
      double allocatedPerPacket) {}

  /** Runs it, which takes {@code 2 * pairs * runNs} and some seconds. */
  public Outcome run(Consumer<String> progress) throws IOException {
    Path page = Files.createTempFile("roce4j-benchmark", ".page");
    try {
      Files.write(page, new byte[4096]);
      int devicePort = freePort();
      int twinPort = freePort();
      try (EndProcess active = start(0, page, ACTIVE, PASSIVE, devicePort, twinPort);
          EndProcess passive = start(1, page, PASSIVE, ACTIVE, devicePort, twinPort)) {
        return measure(active, passive, progress);
      }
    } finally {
      Files.deleteIfExists(page);
    }
  }

  private EndProcess start(
      int processor, Path page, String own, String peer, int devicePort, int twinPort)
      throws IOException {
    return new EndProcess(
        processor,
        List.of(
            workload.name(),
            transport,
            page.toString(),
            own,
            peer,
            Integer.toString(devicePort),
            Integer.toString(twinPort)));
  }

  private static int freePort() throws IOException {
    try (DatagramSocket probe = new DatagramSocket(0)) {
      return probe.getLocalPort();
    }
  }

  private Outcome measure(EndProcess active, EndProcess passive, Consumer<String> progress)
      throws IOException {
    String activeAddress = active.hear();
    passive.tell("connect device " + activeAddress);
    active.tell("connect device " + passive.hear());
    passive.hear();
    active.hear();
    progress.accept("warm-up");
    once(active, passive, "device", WARM_UP_NS);
    once(active, passive, "twin", WARM_UP_NS / 2);
    once(active, passive, "device", WARM_UP_NS / 4);
    double[] device = new double[pairs];
    double[] twin = new double[pairs];
    double[] ratios = new double[pairs];
    double[] allocated = new double[pairs];
    for (int i = 0; i < pairs; i++) {
      progress.accept("pair " + (i + 1) + " of " + pairs);
      if (i % 2 == 1) {
        twin[i] = once(active, passive, "twin", runNs).value();
      }
      Measurement ours = once(active, passive, "device", runNs);
      if (i % 2 == 0) {
        twin[i] = once(active, passive, "twin", runNs).value();
      }
      device[i] = ours.value();
      ratios[i] = device[i] / twin[i];
      allocated[i] = ours.allocatedPerPacket();
    }
    return new Outcome(
        this,
        Ratios.of(ratios),
        Ratios.median(device),
        Ratios.median(twin),
        Ratios.median(allocated));
  }

  private static Measurement once(EndProcess active, EndProcess passive, String kind, long ns)
      throws IOException {
    passive.tell("passive " + kind);
    passive.hear();
    active.tell("active " + kind + " " + ns);
    Measurement result = Measurement.parse(active.hear());
    passive.hear();
    return result;
  }
}
