package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricCapture;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.QpType;
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
  private static final int CHECK_MEMORY_EVERY = 64;
  private static final int RECEIVE_BIT = 1;

  private final SimulationOptions options;
  private final Path captureFile;
  private final SplittableRandom random;
  private final Slab arena = Slab.take();
  private final FabricDevices devices;
  private final Fabric fabric;
  private final WireWitness witness = new WireWitness();
  private final Agenda agenda = new Agenda();
  private final List<SimulatedDevice> cluster = new ArrayList<>();
  private final List<Endpoint> ends = new ArrayList<>();
  private final Map<WcStatus, Integer> failures = new EnumMap<>(WcStatus.class);
  private long requests;
  private long polled;
  private boolean healed;

  Run(SimulationOptions options, Path captureFile) {
    this.options = options;
    this.captureFile = captureFile;
    random = new SplittableRandom(~options.seed());
    devices =
        new FabricDevices(
            FabricOptions.builder().seed(options.seed()).link(options.link()).build());
    fabric = devices.fabric();
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
    build();
    workUnderFaults();
    finishWithoutFaults();
    tearDown();
  }

  private void build() {
    fabric.tap(witness);
    for (int i = 0; i < options.integer(Knob.DEVICES); i++) {
      cluster.add(new SimulatedDevice(this, devices, i, random.split()));
    }
    for (int i = 0; i < options.integer(Knob.CONNECTIONS); i++) {
      int one = random.nextInt(cluster.size());
      int other = (one + random.nextInt(cluster.size())) % cluster.size();
      boolean unreliable = random.nextInt(100) < options.get(Knob.UC);
      QpType service = unreliable ? QpType.UC : QpType.RC;
      Endpoint a = new Endpoint(this, cluster.get(one), service, "end " + i + "a", random.split());
      Endpoint b =
          new Endpoint(this, cluster.get(other), service, "end " + i + "b", random.split());
      ends.add(a);
      ends.add(b);
      Endpoint.connect(a, b);
    }
  }

  private void workUnderFaults() {
    long enough = ends.size() * options.get(Knob.OPERATIONS) * options.get(Knob.HEAL) / 100;
    drive(
        () -> allFinished() || (options.get(Knob.HEAL) < 100 && requests >= enough),
        FAULTS_LAST_AT_MOST_NS);
    ends.forEach(end -> end.memory.checkAll());
  }

  private void finishWithoutFaults() {
    healed = true;
    fabric.heal();
    long left = 0;
    for (Endpoint end : ends) {
      left += options.get(Knob.OPERATIONS) + end.outstanding.size();
    }
    long slowest =
        AckTimeout.ns(options.integer(Knob.TIMEOUT))
            + Aeth.rnrDelayNs(options.integer(Knob.RNR_TIMER))
            + options.get(Knob.LATE_NS)
            + options.get(Knob.THINK);
    long boundNs = 10 * SECOND_NS + 8 * left * slowest;
    drive(this::allFinished, nowNs() + boundNs);
    for (Endpoint end : ends) {
      require(
          end.finished(),
          Rule.PROGRESS,
          "%d ns after the faults stopped: %s%n  its peer: %s",
          boundNs,
          end.standing(),
          end.peer().standing());
    }
  }

  private boolean allFinished() {
    for (int i = 0; i < ends.size(); i++) {
      if (!ends.get(i).finished()) {
        return false;
      }
    }
    return true;
  }

  private void tearDown() {
    // Unreliable messages are done when they are sent: let them arrive.
    drive(this::idle, nowNs() + LAST_PACKETS_NS);
    ends.forEach(Endpoint::tearDown);
    drive(this::idle, nowNs() + LAST_PACKETS_NS);
    require(
        idle(),
        Rule.NOTHING_LEFT,
        "all queue pairs are in ERR, but the next thing happens at %d ns, %d datagrams are under"
            + " way",
        fabric.nextEventNs(),
        fabric.inFlight());
    while (pollAll() > 0) {}
    ends.forEach(Endpoint::checkAtEnd);
    cluster.forEach(SimulatedDevice::checkAtEnd);
    cluster.forEach(SimulatedDevice::checkEvents);
  }

  private boolean idle() {
    return fabric.nextEventNs() == Long.MAX_VALUE && fabric.inFlight() == 0;
  }

  // ---- time

  /** Polls until the condition holds, the time is over or nothing is left to happen. */
  private void drive(BooleanSupplier done, long limitNs) {
    while (!done.getAsBoolean() && nowNs() <= limitNs) {
      keepAgenda();
      if (pollAll() == 0
          && agenda.nextNs() == Long.MAX_VALUE
          && fabric.nextEventNs() == Long.MAX_VALUE
          && pollAll() == 0) {
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

  private int pollAll() {
    int count = 0;
    for (SimulatedDevice device : cluster) {
      count += device.poll();
    }
    polled += count;
    if (count > 0 && polled % CHECK_MEMORY_EVERY < count) {
      ends.get((int) (polled / CHECK_MEMORY_EVERY % ends.size())).memory.checkAll();
    }
    return count;
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

  /** How many ends of connections there are. */
  int endCount() {
    return 2 * options.integer(Knob.CONNECTIONS);
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

  private SimulationResult result(Violation violation) {
    Map<String, Long> counters = new TreeMap<>();
    for (SimulatedDevice device : cluster) {
      device.counted().forEach((label, value) -> counters.merge(label, value, Long::sum));
    }
    return new SimulationResult(
        options,
        violation,
        fabric.digest(),
        fabric.counts().carried(),
        fabric.nowNs(),
        requests,
        Map.copyOf(failures),
        counters);
  }
}
