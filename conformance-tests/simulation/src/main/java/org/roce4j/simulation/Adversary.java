package org.roce4j.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricLink;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;

/**
 * Breaks devices and queue pairs while the faults last. The options say how many faults of each
 * kind there are; each happens at a drawn point of the work. The adversary mends what it breaks
 * after a while, or at the end of the faults.
 */
final class Adversary {
  private final World world;
  private final Cluster cluster;
  private final Fabric fabric;
  private final SplittableRandom random;
  private final List<Plan> plans = new ArrayList<>();
  private final List<Outage> outages = new ArrayList<>();
  private int next;

  private record Plan(long afterRequests, Runnable fault) {}

  Adversary(World world, Cluster cluster, Fabric fabric, SplittableRandom random) {
    this.world = world;
    this.cluster = cluster;
    this.fabric = fabric;
    this.random = random;
    plan(Knob.PAUSES, this::pause);
    plan(Knob.STALLS, this::stall);
    plan(Knob.PARTITIONS, this::partition);
    plan(Knob.PORTS, this::takePortDown);
    plan(Knob.DRAINS, this::drain);
    plan(Knob.BREAKS, this::breakConnection);
    plan(Knob.CRASHES, this::crash);
    plans.sort(Comparator.comparingLong(Plan::afterRequests));
  }

  private void plan(Knob knob, Runnable fault) {
    for (int i = 0; i < world.options.integer(knob); i++) {
      plans.add(new Plan(random.nextLong(world.options.requestsUnderFaults() + 1), fault));
    }
  }

  /** Runs the faults that are due after {@code requestsDone} requests. */
  void act(long requestsDone) {
    while (next < plans.size() && plans.get(next).afterRequests <= requestsDone) {
      plans.get(next++).fault.run();
    }
  }

  // ---- faults

  private void pause() {
    SimulatedDevice device = anyDevice();
    world.counts.met(Phenomenon.PAUSE);
    Outage outage = outageOf(device);
    forEachLinkOf(device, FabricLink::pause);
    later(
        () -> {
          forEachLinkOf(device, FabricLink::resume);
          outage.end();
        });
  }

  private void stall() {
    SimulatedDevice device = anyDevice();
    world.counts.met(Phenomenon.STALL);
    device.stall(true);
    later(() -> device.stall(false));
  }

  private void partition() {
    SimulatedDevice one = anyDevice();
    SimulatedDevice other = anyDevice();
    world.counts.met(Phenomenon.PARTITION);
    Outage outage = outage(paths(one.gids(), other).toList());
    forEachLinkBetween(one, other, FabricLink::down);
    later(
        () -> {
          forEachLinkBetween(one, other, FabricLink::up);
          outage.end();
        });
  }

  private void takePortDown() {
    SimulatedDevice device = anyDevice();
    int ports = device.gids().size();
    int port = ports == 1 ? 1 : 1 + random.nextInt(ports);
    if (!device.isUp() || !device.portIsUp(port)) {
      return;
    }
    world.counts.met(Phenomenon.PORT_DOWN);
    world.agenda.letArrive();
    Outage outage = outageOf(List.of(device.gid(port)));
    device.port(port, false);
    later(
        () -> {
          bringUp(device, port);
          outage.end();
        });
  }

  private void bringUp(SimulatedDevice device, int port) {
    if (device.isUp() && !device.portIsUp(port)) {
      world.agenda.letArrive();
      device.port(port, true);
    }
  }

  private void drain() {
    List<QueuePairUser> able =
        cluster.participants().stream()
            .filter(end -> end.alive() && end.state() == QpState.RTS)
            .toList();
    if (!able.isEmpty()) {
      QueuePairUser end = able.get(random.nextInt(able.size()));
      end.drain(() -> later(end::resume));
    }
  }

  private void breakConnection() {
    List<SimulatedConnection> able =
        cluster.connections().stream().filter(SimulatedConnection::breakable).toList();
    if (!able.isEmpty()) {
      able.get(random.nextInt(able.size())).breakLater();
    }
  }

  private void crash() {
    int index = random.nextInt(cluster.devices().size());
    SimulatedDevice device = cluster.device(index);
    if (!device.isUp()) {
      return;
    }
    world.counts.met(Phenomenon.CRASH);
    world.agenda.letArrive();
    Outage outage = outageOf(device);
    cluster.crash(index);
    later(
        () -> {
          restart(index);
          outage.end();
        });
  }

  private void restart(int index) {
    if (!cluster.device(index).isUp()) {
      cluster.restart(index);
    }
  }

  // ---- mending

  /** Mends everything that is broken, now. */
  void stop() {
    next = plans.size();
    for (int i = 0; i < cluster.devices().size(); i++) {
      restart(i);
      for (int port = 1; port <= cluster.device(i).gids().size(); port++) {
        bringUp(cluster.device(i), port);
      }
      cluster.device(i).stall(false);
    }
    outages.forEach(Outage::end);
  }

  private Outage outageOf(SimulatedDevice device) {
    return outageOf(device.gids());
  }

  /** An outage between the {@code silent} addresses and the addresses of every device. */
  private Outage outageOf(List<Gid> silent) {
    return outage(cluster.devices().stream().flatMap(other -> paths(silent, other)).toList());
  }

  private Stream<Mishaps> paths(List<Gid> gids, SimulatedDevice other) {
    return gids.stream()
        .flatMap(one -> other.gids().stream().map(two -> world.witness.path(one, two)))
        .distinct();
  }

  private Outage outage(List<Mishaps> paths) {
    Outage outage = new Outage(paths);
    outages.add(outage);
    return outage;
  }

  private void later(Runnable mend) {
    long most = world.options.get(Knob.OUTAGE_NS);
    world.agenda.after(1 + random.nextLong(random.nextLong(most) + 1), mend);
  }

  private SimulatedDevice anyDevice() {
    return cluster.device(random.nextInt(cluster.devices().size()));
  }

  private void forEachLinkOf(SimulatedDevice device, Consumer<FabricLink> action) {
    cluster.devices().forEach(other -> forEachLinkBetween(device, other, action));
  }

  private void forEachLinkBetween(
      SimulatedDevice one, SimulatedDevice other, Consumer<FabricLink> action) {
    for (Gid gid : one.gids()) {
      for (Gid otherGid : other.gids()) {
        action.accept(fabric.link(gid, otherGid));
        action.accept(fabric.link(otherGid, gid));
      }
    }
  }
}
