package org.roce4j.lab;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricDatagram;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.lab.Happening.Kind;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/** The network of a lab. Turns take no time; time passes only by steps. */
final class LabWorld implements AutoCloseable {
  private static final int FIRST_ADDRESS = 0x0A00_0001;

  /** The longest virtual time of an {@link Action.Run} without a time, in nanoseconds. */
  private static final long LONGEST_RUN_NS = 10_000_000_000L;

  /** The greatest number of steps of one run, after which endless repetition shows. */
  private static final int MOST_STEPS = 200;

  private final Arena arena = Arena.ofShared();
  private final FabricDevices network;
  private final Fabric fabric;
  private final HappeningLog log;
  private final PacketLog packets;
  private final List<LabDevice> devices = new ArrayList<>();

  LabWorld(Scenario scenario) {
    network =
        new FabricDevices(FabricOptions.of(scenario.seed()).withLink(scenario.link())).stopTime();
    fabric = network.fabric();
    log = new HappeningLog(fabric::nowNs);
    packets = new PacketLog(this::nameOf, log);
    fabric.tap(packets);
    for (String name : scenario.devices()) {
      Gid gid = Gid.ofIpv4(FIRST_ADDRESS + devices.size());
      devices.add(new LabDevice(name, gid, network, arena, log));
    }
    settle();
  }

  HappeningLog log() {
    return log;
  }

  List<LabPacket> packets() {
    return packets.packets();
  }

  /**
   * Plays an action. A refusal by a verb is an event, and play continues.
   *
   * @throws IllegalArgumentException if it names an object that does not exist; nothing has changed
   */
  void act(Action action) {
    Runnable todo = resolved(action);
    log.act(action.text());
    try {
      todo.run();
    } catch (VerbsException e) {
      log.add(Kind.REFUSED, "", "refused: " + e.getMessage());
    }
    settle();
  }

  private Runnable resolved(Action action) {
    return switch (action) {
      case Action.Create a -> {
        LabDevice device = device(a.device());
        yield () -> told(device.create(a.service()));
      }
      case Action.Connect a -> {
        LabDevice left = device(a.left());
        LabDevice right = device(a.right());
        yield () -> connect(left, right, a);
      }
      case Action.Modify a -> {
        LabEnd end = end(a.qp());
        LabEnd peer = a.peer().isEmpty() ? end.peer() : end(a.peer());
        yield () -> modify(end, peer, a);
      }
      case Action.Send a -> {
        LabEnd end = end(a.qp());
        LabEnd to = a.to().isEmpty() ? end.peer() : end(a.to());
        yield () -> end.post(a, to);
      }
      case Action.Write a -> posting(a.qp(), end -> end.post(a));
      case Action.Read a -> posting(a.qp(), end -> end.post(a));
      case Action.Atomic a -> posting(a.qp(), end -> end.post(a));
      case Action.Receive a -> posting(a.qp(), end -> end.post(a));
      case Action.Key a -> posting(a.qp(), end -> end.key(a.value()));
      case Action.Register a -> {
        LabDevice device = device(a.device());
        yield () -> device.registerAnew(a.rights());
      }
      case Action.SetPort a -> {
        LabDevice device = device(a.device());
        yield () -> device.device().port(a.up());
      }
      case Action.Strike a -> {
        FabricDatagram datagram = packets.underWay(a.packet());
        yield () -> fabric.underWay().strike(datagram, a.fault());
      }
      case Action.Step a -> () -> step(a.times());
      case Action.Run a -> () -> run(a.forNs());
    };
  }

  private Runnable posting(String name, Consumer<LabEnd> post) {
    LabEnd end = end(name);
    return () -> post.accept(end);
  }

  private void connect(LabDevice left, LabDevice right, Action.Connect connect) {
    boolean extended = connect.service() == QpType.XRC_SEND;
    LabEnd one = left.create(connect.service());
    LabEnd other = right.create(extended ? QpType.XRC_RECV : connect.service());
    told(one);
    told(other);
    one.know(other);
    other.know(one);
    one.toRts(connect.settings());
    other.toRts(connect.settings());
  }

  private void told(LabEnd end) {
    log.add(
        Kind.STATE,
        end.name(),
        Wording.of("is %s queue pair 0x%x", end.qp().qpType(), end.number()));
  }

  private static void modify(LabEnd end, LabEnd peer, Action.Modify modify) {
    if (peer != null && peer != end.peer()) {
      end.know(peer);
    }
    end.modify(modify.state(), modify.settings());
  }

  // ---- time

  private void step(int times) {
    for (int i = 0; i < times && next(Deadlines.NEVER); i++) {
      settle();
    }
  }

  private void run(Long forNs) {
    long end = fabric.nowNs() + (forNs == null ? LONGEST_RUN_NS : forNs);
    int steps = 0;
    while (steps < MOST_STEPS && next(end)) {
      steps++;
    }
    if (steps == MOST_STEPS) {
      log.add(
          Kind.ENGINE, "", Wording.of("more would happen; the run stops after %d steps", steps));
    } else if (forNs != null) {
      fabric.runUntil(() -> false, end);
    }
  }

  /**
   * Advances to the next visible event; a postponed timer is not visible.
   *
   * @return whether there was an event before the limit
   */
  private boolean next(long limitNs) {
    int before = log.size();
    while (log.size() == before) {
      if (!Deadlines.isSet(dueNs()) || fabric.nextEventNs() > limitNs) {
        return false;
      }
      fabric.step();
      settle();
    }
    return true;
  }

  /** The time of the next arrival or timer. An engine may check its timers more often. */
  private long dueNs() {
    long due =
        fabric.underWay().datagrams().stream()
            .mapToLong(FabricDatagram::arrivalNs)
            .min()
            .orElse(Deadlines.NEVER);
    for (LabDevice device : devices) {
      for (PsnWindow window : device.device().psnWindows()) {
        due = Math.min(due, Math.min(window.ackTimerNs(), window.rnrTimerNs()));
      }
    }
    return due;
  }

  /** Executes all events of this moment. */
  private void settle() {
    while (fabric.nextEventNs() == fabric.nowNs()) {
      fabric.step();
    }
    devices.forEach(LabDevice::poll);
  }

  // ---- names

  private String nameOf(Gid gid) {
    return devices.stream()
        .filter(device -> device.gid().equals(gid))
        .map(LabDevice::name)
        .findAny()
        .orElse("");
  }

  private LabDevice device(String name) {
    return devices.stream()
        .filter(device -> device.name().equals(name))
        .findAny()
        .orElseThrow(() -> new IllegalArgumentException("there is no device '" + name + "'"));
  }

  private LabEnd end(String name) {
    return devices.stream()
        .flatMap(device -> device.ends().stream())
        .filter(end -> end.name().equals(name))
        .findAny()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no queue pair '" + name + "' yet: create or connect it first"));
  }

  // ---- what there is

  LabState state() {
    return new LabState(
        fabric.nowNs(),
        dueNs(),
        devices.stream().map(LabWorld::state).toList(),
        packets.packets().stream().filter(p -> p.fate() == LabPacket.Stage.UNDER_WAY).toList());
  }

  private static LabState.DeviceState state(LabDevice device) {
    List<PsnWindow> windows = device.device().psnWindows();
    return new LabState.DeviceState(
        device.name(),
        device.gid().addressText(),
        device.region().rkey(),
        device.memory(),
        device.ends().stream().map(end -> state(end, windows)).toList());
  }

  private static LabState.QueuePairState state(LabEnd end, List<PsnWindow> windows) {
    PsnWindow window =
        windows.stream().filter(w -> w.number() == end.number()).findAny().orElseThrow();
    QpState state = end.qp().state();
    return new LabState.QueuePairState(
        end.name(),
        end.qp().qpType(),
        state,
        end.peer() == null ? "" : end.peer().name(),
        end.key(),
        window,
        end.sends(),
        end.receives());
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      devices.forEach(device -> device.context().close());
      network.close();
      arena.close();
    }
  }
}
