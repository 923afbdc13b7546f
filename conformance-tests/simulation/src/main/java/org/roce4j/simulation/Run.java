package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricCapture;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;

/**
 * One run: builds a cluster, lets it work under faults, heals it and requires it to finish; then
 * destroys everything and checks that nothing is left.
 */
final class Run {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long FAULTS_LAST_AT_MOST_NS = 20 * SECOND_NS;
  private static final long LAST_PACKETS_NS = 20 * SECOND_NS;
  private static final long MOST_DATAGRAMS = 5_000_000;
  private static final int CHECK_MEMORY_EVERY = 64;

  private final SimulationOptions options;
  private final Path captureFile;
  private final SplittableRandom random;
  private final Slab arena = Slab.take();
  private final FabricDevices devices;
  private final Fabric fabric;
  private final World world;
  private final Cluster cluster;
  private long polled;

  Run(SimulationOptions options, Path captureFile) {
    this.options = options;
    this.captureFile = captureFile;
    random = new SplittableRandom(~options.seed());
    devices =
        new FabricDevices(FabricOptions.of(options.seed()).withLink(options.link())).forOneThread();
    fabric = devices.fabric();
    world = new World(options, arena, fabric, random);
    cluster = new Cluster(world, devices, random.split());
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
      return new Violation(broken.rule(), fabric.nowNs(), broken.getMessage());
    } catch (RuntimeException | AssertionError thrown) {
      return new Violation(OracleRule.NO_EXCEPTION, fabric.nowNs(), describe(thrown));
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
    fabric.tap(world.witness);
    cluster.build();
    Adversary adversary = new Adversary(world, cluster, fabric, random.split());
    workUnderFaults(adversary);
    world.endFaults();
    fabric.heal();
    adversary.stop();
    finishWithoutFaults();
    tearDown();
  }

  /** Rethrows the exception of an observer: a broken rule ends the run in the middle of a turn. */
  private static void endWith(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) thrown;
  }

  private void workUnderFaults(Adversary adversary) {
    RunCounts counts = world.counts;
    long enough = options.requestsUnderFaults();
    drive(
        () -> {
          adversary.act(counts.requests());
          return cluster.finished()
              || (options.get(Knob.HEAL) < 100 && counts.requests() >= enough);
        },
        FAULTS_LAST_AT_MOST_NS);
    cluster.participants().forEach(end -> end.memory.all().checkAll());
  }

  private void finishWithoutFaults() {
    long left = options.ends() * (options.get(Knob.OPERATIONS) + options.get(Knob.SQ));
    long slowest =
        AckTimeout.ns(options.integer(Knob.TIMEOUT))
            + Aeth.rnrDelayNs(options.integer(Knob.RNR_TIMER))
            + options.get(Knob.LATE_NS)
            + options.get(Knob.THINK)
            + options.get(Knob.OUTAGE_NS);
    long boundNs = 10 * SECOND_NS + 8 * left * slowest;
    drive(cluster::finished, fabric.nowNs() + boundNs);
    RuleBroken.checks(OracleRule.PROGRESS);
    for (String standing : cluster.unfinished()) {
      throw new RuleBroken(
          OracleRule.PROGRESS, Wording.of("%d ns after the faults stopped: %s", boundNs, standing));
    }
  }

  private void tearDown() {
    // Unreliable messages complete when they are sent, so some may still be under way.
    drive(this::idle, fabric.nowNs() + LAST_PACKETS_NS);
    cluster.participants().forEach(QueuePairUser::tearDown);
    drive(this::idle, fabric.nowNs() + LAST_PACKETS_NS);
    require(
        idle(),
        OracleRule.NOTHING_LEFT,
        "all queue pairs are in ERR, but the next thing happens at %d ns, %d datagrams are under"
            + " way",
        fabric.nextEventNs(),
        fabric.inFlight());
    while (pollAll() > 0) {}
    List<QueuePairUser> everyone = cluster.everyone();
    everyone.forEach(QueuePairUser::settle);
    everyone.forEach(QueuePairUser::checkAtEnd);
    cluster.everyDevice().forEach(SimulatedDevice::checkAtEnd);
    cluster.devices().forEach(SimulatedDevice::checkEvents);
  }

  private boolean idle() {
    return !Deadlines.isSet(fabric.nextEventNs()) && fabric.inFlight() == 0;
  }

  // ---- time

  /** Polls until {@code done}, until the time limit, or until no event can happen any more. */
  private void drive(BooleanSupplier done, long limitNs) {
    while (!done.getAsBoolean() && fabric.nowNs() <= limitNs) {
      world.agenda.keep();
      // A poll may deliver an event on which an application plans an action.
      if (pollAll() == 0 && nothingToCome() && pollAll() == 0 && nothingToCome()) {
        return;
      }
      require(
          fabric.counts().carried() < MOST_DATAGRAMS,
          OracleRule.PROGRESS,
          "%d datagrams were sent for %d requests",
          MOST_DATAGRAMS,
          world.counts.requests());
    }
  }

  private boolean nothingToCome() {
    return !Deadlines.isSet(world.agenda.nextNs()) && !Deadlines.isSet(fabric.nextEventNs());
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
      world.agenda.keep();
      fabric.step();
    }
    polled += count;
    if (count > 0 && polled % CHECK_MEMORY_EVERY < count) {
      List<QueuePairUser> ends = cluster.participants();
      ends.get((int) (polled / CHECK_MEMORY_EVERY % ends.size())).memory.all().checkAll();
    }
    return count;
  }

  private SimulationResult result(Violation violation) {
    Map<String, Long> counters = new TreeMap<>();
    cluster
        .everyDevice()
        .flatMap(device -> device.counted().entrySet().stream())
        .forEach(counter -> counters.merge(counter.getKey(), counter.getValue(), Long::sum));
    return new SimulationResult(
        options,
        violation,
        fabric.digest(),
        fabric.counts().carried(),
        fabric.nowNs(),
        world.counts.requests(),
        world.counts.failures(),
        counters,
        world.counts.phenomena(fabric.counts()));
  }
}
