package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.DropReason;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricCapture;
import org.roce4j.fabric.FabricCounts;
import org.roce4j.fabric.FabricLink;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;

/**
 * One run: a cluster is built, works under faults, is healed and must finish; then everything is
 * torn down and looked at.
 */
final class Run {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long FAULTS_LAST_AT_MOST_NS = 20 * SECOND_NS;
  private static final long LAST_PACKETS_NS = 20 * SECOND_NS;
  private static final long MOST_DATAGRAMS = 5_000_000;
  private static final int MOST_AT_ONCE = 1_000_000;
  private static final int CHECK_MEMORY_EVERY = 64;
  private static final int RECEIVE_BIT = 1;

  private final SimulationOptions options;
  private final Path captureFile;
  private final SplittableRandom random;
  private final Slab arena = Slab.take();
  private final FabricDevices devices;
  private final Fabric fabric;
  private final Cluster cluster;
  private final WireWitness witness;
  private final Agenda agenda = new Agenda();
  private final Map<WcStatus, Integer> failures = new EnumMap<>(WcStatus.class);
  private final Map<Phenomenon, Long> phenomena = new EnumMap<>(Phenomenon.class);
  private Adversary adversary;
  private long requests;
  private long polled;
  private boolean healed;

  Run(SimulationOptions options, Path captureFile) {
    this.options = options;
    this.captureFile = captureFile;
    random = new SplittableRandom(~options.seed());
    devices = new FabricDevices(FabricOptions.of(options.seed()).withLink(options.link()));
    fabric = devices.fabric();
    cluster = new Cluster(this, devices, random.split());
    witness = new WireWitness(cluster);
  }

  SimulationResult execute() {
    try (arena;
        devices) {
      FabricCapture capture = captureFile == null ? null : fabric.capture(captureFile);
      SimulationResult result = result(judge());
      if (capture != null) {
        capture.close();
      }
      return result;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Violation judge() {
    try {
      live();
      return null;
    } catch (RuleBroken broken) {
      return new Violation(broken.rule(), nowNs(), broken.getMessage());
    } catch (RuntimeException | AssertionError thrown) {
      return new Violation(Rule.NO_EXCEPTION, nowNs(), describe(thrown));
    }
  }

  private static String describe(Throwable thrown) {
    StringBuilder text = new StringBuilder(thrown.toString());
    for (int i = 0; i < Math.min(8, thrown.getStackTrace().length); i++) {
      text.append(System.lineSeparator()).append("    at ").append(thrown.getStackTrace()[i]);
    }
    return text.toString();
  }

  private void live() {
    fabric.onThrown(Run::endWith);
    fabric.tap(witness);
    cluster.build();
    adversary = new Adversary(this, cluster, random.split());
    workUnderFaults();
    finishWithoutFaults();
    tearDown();
  }

  /** A rule that the witness finds broken ends the run in the middle of the turn that breaks it. */
  private static void endWith(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) thrown;
  }

  private void workUnderFaults() {
    long enough = requestsUnderFaults();
    drive(
        () -> {
          adversary.act(requests);
          return cluster.finished() || (options.get(Knob.HEAL) < 100 && requests >= enough);
        },
        FAULTS_LAST_AT_MOST_NS);
    cluster.participants().forEach(end -> end.memory().checkAll());
  }

  /** How much work is done before the faults stop. */
  long requestsUnderFaults() {
    return endCount() * options.get(Knob.OPERATIONS) * options.get(Knob.HEAL) / 100;
  }

  private void finishWithoutFaults() {
    healed = true;
    fabric.heal();
    adversary.stop();
    long left = endCount() * (options.get(Knob.OPERATIONS) + options.get(Knob.SQ));
    long slowest =
        AckTimeout.ns(options.integer(Knob.TIMEOUT))
            + Aeth.rnrDelayNs(options.integer(Knob.RNR_TIMER))
            + options.get(Knob.LATE_NS)
            + options.get(Knob.THINK)
            + options.get(Knob.OUTAGE_NS);
    long boundNs = 10 * SECOND_NS + 8 * left * slowest;
    drive(cluster::finished, nowNs() + boundNs);
    for (Connection connection : cluster.connections()) {
      require(
          connection.finished(),
          Rule.PROGRESS,
          "%d ns after the faults stopped: %s",
          boundNs,
          connection.standing());
    }
    for (DatagramEnd end : cluster.datagramEnds()) {
      require(
          end.finished(),
          Rule.PROGRESS,
          "%d ns after the faults stopped: %s",
          boundNs,
          end.standing());
    }
  }

  private void tearDown() {
    // Unreliable messages are done when they are sent: let them arrive.
    drive(this::idle, nowNs() + LAST_PACKETS_NS);
    cluster.participants().forEach(Participant::tearDown);
    drive(this::idle, nowNs() + LAST_PACKETS_NS);
    require(
        idle(),
        Rule.NOTHING_LEFT,
        "all queue pairs are in ERR, but the next thing happens at %d ns, %d datagrams are under"
            + " way",
        fabric.nextEventNs(),
        fabric.inFlight());
    while (pollAll() > 0) {}
    List<Participant> everyone = cluster.everyone();
    everyone.forEach(Participant::settle);
    everyone.forEach(Participant::checkAtEnd);
    cluster.everyDevice().forEach(SimulatedDevice::checkAtEnd);
    cluster.devices().forEach(SimulatedDevice::checkEvents);
  }

  private boolean idle() {
    return fabric.nextEventNs() == Long.MAX_VALUE && fabric.inFlight() == 0;
  }

  // ---- time

  /** Polls until the condition holds, the time is over or nothing is left to happen. */
  private void drive(BooleanSupplier done, long limitNs) {
    while (!done.getAsBoolean() && nowNs() <= limitNs) {
      keepAgenda();
      // A poll may show an event, for which the application plans something.
      if (pollAll() == 0 && nothingToCome() && pollAll() == 0 && nothingToCome()) {
        return;
      }
      require(
          fabric.counts().carried() < MOST_DATAGRAMS,
          Rule.PROGRESS,
          "%d datagrams were sent for %d requests",
          MOST_DATAGRAMS,
          requests);
    }
  }

  private boolean nothingToCome() {
    return agenda.nextNs() == Long.MAX_VALUE && fabric.nextEventNs() == Long.MAX_VALUE;
  }

  private int pollAll() {
    int count = 0;
    boolean looked = false;
    for (int i = 0; i < cluster.devices().size(); i++) {
      SimulatedDevice device = cluster.device(i);
      count += device.poll();
      looked |= device.isPolled();
    }
    if (!looked) {
      keepAgenda();
      fabric.step();
    }
    polled += count;
    if (count > 0 && polled % CHECK_MEMORY_EVERY < count) {
      List<Participant> ends = cluster.participants();
      ends.get((int) (polled / CHECK_MEMORY_EVERY % ends.size())).memory().checkAll();
    }
    return count;
  }

  /** Whatever has reached a port is worked on before a device or a queue pair is changed. */
  void letArrive() {
    for (int i = 0; i < MOST_AT_ONCE && fabric.nextEventNs() <= nowNs(); i++) {
      fabric.step();
    }
  }

  /** What applications have to do now is done before anything else happens. */
  void keepAgenda() {
    long due = agenda.nextNs();
    if (due > nowNs() && due != Long.MAX_VALUE && fabric.nextEventNs() > due) {
      fabric.run(due - nowNs());
    }
    agenda.runDue(nowNs());
  }

  long nowNs() {
    return fabric.nowNs();
  }

  // ---- what its parts need

  SimulationOptions options() {
    return options;
  }

  Arena arena() {
    return arena;
  }

  Agenda agenda() {
    return agenda;
  }

  WireWitness witness() {
    return witness;
  }

  Cluster cluster() {
    return cluster;
  }

  Adversary adversary() {
    return adversary;
  }

  /** Multicast groups. */
  List<Gid> groups() {
    return cluster.groups();
  }

  DatagramEnd anyDatagramEnd(SplittableRandom draw) {
    return cluster.datagramEnds().get(draw.nextInt(cluster.datagramEnds().size()));
  }

  FabricLink link(SimulatedDevice from, SimulatedDevice to) {
    return fabric.link(from.gid(), to.gid());
  }

  /** How many queue pairs there are at a time. */
  int endCount() {
    return 2 * options.integer(Knob.CONNECTIONS) + options.integer(Knob.DATAGRAM_ENDS);
  }

  boolean healed() {
    return healed;
  }

  /** A number for a request that no other one has; it tells receives from sends. */
  long wrId(boolean receive) {
    long any = random.nextLong();
    return receive ? any | RECEIVE_BIT : any & ~RECEIVE_BIT;
  }

  static boolean isReceive(long wrId) {
    return (wrId & RECEIVE_BIT) != 0;
  }

  void countRequest() {
    requests++;
  }

  void countFailure(WcStatus status) {
    failures.merge(status, 1, Integer::sum);
  }

  void count(Phenomenon phenomenon) {
    phenomena.merge(phenomenon, 1L, Long::sum);
  }

  private void countWhatLinksDid() {
    FabricCounts counts = fabric.counts();
    phenomena.put(Phenomenon.LOSS, counts.dropped(DropReason.LOSS));
    phenomena.put(Phenomenon.BURST, counts.dropped(DropReason.BURST));
    phenomena.put(Phenomenon.QUEUE_FULL, counts.dropped(DropReason.QUEUE_FULL));
    phenomena.put(Phenomenon.DUPLICATE, counts.duplicated());
    phenomena.put(Phenomenon.REORDER, counts.reordered());
    phenomena.put(Phenomenon.CORRUPTION, counts.corrupted());
  }

  private SimulationResult result(Violation violation) {
    Map<String, Long> counters = new TreeMap<>();
    cluster
        .everyDevice()
        .forEach(
            device ->
                device
                    .counted()
                    .forEach((label, value) -> counters.merge(label, value, Long::sum)));
    countWhatLinksDid();
    Map<String, Long> met = new TreeMap<>();
    phenomena.forEach((phenomenon, times) -> met.put(phenomenon.label(), times));
    return new SimulationResult(
        options,
        violation,
        fabric.digest(),
        fabric.counts().carried(),
        fabric.nowNs(),
        requests,
        Map.copyOf(failures),
        counters,
        met);
  }
}
