package org.roce4j.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;

/** The devices of a run and everything on them, crashed devices included. */
final class Cluster {
  private static final int FIRST_GROUP = 0xef01_0001;
  private static final long FIRST_GROUP6_HIGH = 0xff0e_0000_0000_0000L;

  private final World world;
  private final FabricDevices network;
  private final SplittableRandom random;
  private final List<SimulatedDevice> devices = new ArrayList<>();
  private final List<SimulatedConnection> connections = new ArrayList<>();
  private final List<UnconnectedEnd> datagramEnds = new ArrayList<>();
  private final List<Gid> groups = new ArrayList<>();
  private final List<SimulatedDevice> crashed = new ArrayList<>();
  private final List<QueuePairUser> gone = new ArrayList<>();

  /** The queue pair numbers that each device's address has ever had. */
  private final List<Set<Integer>> numbersUsed = new ArrayList<>();

  Cluster(World world, FabricDevices network, SplittableRandom random) {
    this.world = world;
    this.network = network;
    this.random = random;
  }

  void build() {
    SimulationOptions options = world.options;
    for (int i = 0; i < options.integer(Knob.DEVICES); i++) {
      numbersUsed.add(new HashSet<>());
      devices.add(device(i, random.split()));
    }
    for (int i = 0; i < options.integer(Knob.CONNECTIONS); i++) {
      int one = random.nextInt(devices.size());
      int other = (one + random.nextInt(devices.size())) % devices.size();
      boolean unreliable = random.nextInt(100) < options.get(Knob.UC);
      connections.add(
          new SimulatedConnection(
              world,
              this,
              unreliable ? QpType.UC : QpType.RC,
              "end " + i,
              one,
              other,
              random.split()));
    }
    for (int i = 0; i < options.integer(Knob.GROUPS); i++) {
      groups.add(
          options.on(Knob.IPV6)
              ? new Gid(FIRST_GROUP6_HIGH, FIRST_GROUP + i)
              : Gid.ofIpv4(FIRST_GROUP + i));
    }
    for (int i = 0; i < options.integer(Knob.DATAGRAM_ENDS); i++) {
      datagramEnds.add(
          datagramEnd(i, random.nextInt(devices.size()), options.integer(Knob.OPERATIONS)));
    }
    datagramEnds.forEach(this::start);
  }

  private SimulatedDevice device(int index, SplittableRandom draw) {
    return new SimulatedDevice(world, network, index, numbersUsed.get(index), draw);
  }

  private UnconnectedEnd datagramEnd(int number, int device, int operations) {
    return new UnconnectedEnd(
        world,
        devices.get(device),
        "datagrams " + number,
        operations,
        random.split(),
        groups,
        datagramEnds);
  }

  private void start(UnconnectedEnd end) {
    end.start(groups.stream().filter(group -> random.nextInt(3) > 0).toList());
  }

  // ---- members

  SimulatedDevice device(int index) {
    return devices.get(index);
  }

  List<SimulatedDevice> devices() {
    return devices;
  }

  /** The running devices and the crashed ones. */
  Stream<SimulatedDevice> everyDevice() {
    return Stream.concat(crashed.stream(), devices.stream());
  }

  List<SimulatedConnection> connections() {
    return connections;
  }

  /** The current ends. */
  List<QueuePairUser> participants() {
    List<QueuePairUser> all = new ArrayList<>();
    for (SimulatedConnection connection : connections) {
      all.add(connection.one());
      all.add(connection.other());
    }
    all.addAll(datagramEnds);
    return all;
  }

  /** The current ends and the former ones. */
  List<QueuePairUser> everyone() {
    List<QueuePairUser> all = new ArrayList<>(gone);
    all.addAll(participants());
    return all;
  }

  /** Removes an end from the current ones: another end takes its place. */
  void retire(QueuePairUser end) {
    gone.add(end);
  }

  boolean finished() {
    for (int i = 0; i < connections.size(); i++) {
      if (!connections.get(i).finished()) {
        return false;
      }
    }
    for (int i = 0; i < datagramEnds.size(); i++) {
      if (!datagramEnds.get(i).finished()) {
        return false;
      }
    }
    return true;
  }

  /** The standing of each end or connection that is not finished. */
  List<String> unfinished() {
    return Stream.concat(
            connections.stream()
                .filter(each -> !each.finished())
                .map(SimulatedConnection::standing),
            datagramEnds.stream().filter(each -> !each.finished()).map(QueuePairUser::standing))
        .toList();
  }

  // ---- crash and restart

  void crash(int index) {
    SimulatedDevice device = devices.get(index);
    device.crash();
    for (SimulatedConnection connection : connections) {
      connection.crashed(device);
    }
    for (UnconnectedEnd end : datagramEnds) {
      if (end.device == device) {
        end.cutOff();
      }
    }
  }

  /** Creates a new device with the address of a crashed one. */
  void restart(int index) {
    SimulatedDevice old = devices.get(index);
    crashed.add(old);
    devices.set(index, device(index, random.split()));
    for (int i = 0; i < datagramEnds.size(); i++) {
      UnconnectedEnd end = datagramEnds.get(i);
      if (end.device == old) {
        retire(end);
        UnconnectedEnd next = datagramEnd(i, index, end.operationsLeft());
        datagramEnds.set(i, next);
        start(next);
      }
    }
  }
}
