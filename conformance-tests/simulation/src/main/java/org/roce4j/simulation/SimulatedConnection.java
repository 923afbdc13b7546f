package org.roce4j.simulation;

import java.util.SplittableRandom;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Psn;

/**
 * Two connected ends, which connect again when the connection breaks. Each life has new ends with
 * new memory, new PSNs and often new queue pairs. Packets of an earlier life that are still under
 * way must have no effect on the next one.
 */
final class SimulatedConnection {
  private static final int MOST_LIVES = 5;
  private static final long LOOK_AGAIN_NS = 20_000;

  /** Least distance between the first PSNs of two lives; all lives together stay within 24 bits. */
  private static final int PSN_DISTANCE = 1 << 20;

  private final World world;
  private final Cluster cluster;
  private final QpType service;
  private final String name;
  private final int oneDevice;
  private final int otherDevice;
  private final SplittableRandom random;
  private final boolean downwards;
  private ConnectedEnd one;
  private ConnectedEnd other;
  private int lives = 1;
  private boolean breaking;
  private boolean waiting;

  SimulatedConnection(
      World world,
      Cluster cluster,
      QpType service,
      String name,
      int oneDevice,
      int otherDevice,
      SplittableRandom random) {
    this.world = world;
    this.cluster = cluster;
    this.service = service;
    this.name = name;
    this.oneDevice = oneDevice;
    this.otherDevice = otherDevice;
    this.random = random;
    downwards = random.nextBoolean();
    int operations = world.options.integer(Knob.OPERATIONS);
    connect(
        ConnectedEnd.Life.first(firstPsn(), operations),
        ConnectedEnd.Life.first(firstPsn(), operations));
  }

  private int firstPsn() {
    SimulationOptions options = world.options;
    return options.on(Knob.WRAP)
        ? Psn.MASK - random.nextInt(options.integer(Knob.WRAP))
        : random.nextInt(Psn.MASK + 1);
  }

  private void connect(ConnectedEnd.Life ofOne, ConnectedEnd.Life ofOther) {
    String suffix = lives == 1 ? "" : " life " + lives;
    one = end(oneDevice, "a" + suffix, ofOne);
    other = end(otherDevice, "b" + suffix, ofOther);
    one.onFailure(this::failed);
    other.onFailure(this::failed);
    ConnectedEnd.connect(one, other);
  }

  private ConnectedEnd end(int deviceIndex, String suffix, ConnectedEnd.Life life) {
    SimulatedDevice device = cluster.device(deviceIndex);
    return service == QpType.RC
        ? new ReliableEnd(world, device, name + suffix, life, random.split())
        : new UnreliableEnd(world, device, name + suffix, life, random.split());
  }

  ConnectedEnd one() {
    return one;
  }

  ConnectedEnd other() {
    return other;
  }

  /** Whether nothing is left to do, in this life or another. */
  boolean finished() {
    return !breaking && one.finished() && other.finished();
  }

  // ---- breaking and connecting again

  private boolean mayLiveAgain() {
    return world.options.on(Knob.RECONNECT)
        && lives < MOST_LIVES
        && one.operationsLeft() + other.operationsLeft() > 0;
  }

  private void failed() {
    if (mayLiveAgain()) {
      breakLater();
    }
  }

  /** The device is gone with all its queue pairs. The other end learns of it in its own way. */
  void crashed(SimulatedDevice device) {
    if (one.device != device && other.device != device) {
      return;
    }
    for (ConnectedEnd end : new ConnectedEnd[] {one, other}) {
      if (end.device == device) {
        end.cutOff();
      }
    }
    breakLater();
  }

  /** Lets the applications of both ends give up the connection, one after the other. */
  void breakLater() {
    if (!breaking) {
      breaking = true;
      ConnectedEnd first = one;
      ConnectedEnd second = other;
      world.agenda.after(news(), () -> breakEnd(first));
      world.agenda.after(news(), () -> breakEnd(second));
    }
  }

  /** Delay of news that travel outside the network, ns. */
  private long news() {
    return random.nextBoolean() ? 0 : random.nextLong(2_000_000);
  }

  private void breakEnd(ConnectedEnd end) {
    if (end != one && end != other) {
      return; // crashed in the meantime, and another end has its place
    }
    world.agenda.letArrive();
    if (!isDown(end)) {
      giveUp(end);
    }
    if (!waiting && isDown(one) && isDown(other)) {
      waiting = true;
      world.agenda.after(news() / 8, this::connectAgain);
    }
  }

  private static boolean isDown(ConnectedEnd end) {
    return end.wasCut() || end.isFlushing();
  }

  private void giveUp(ConnectedEnd end) {
    int manner = end.device.srq() != null ? 0 : random.nextInt(3);
    switch (manner) {
      case 0 -> {
        world.counts.met(Phenomenon.FLUSH);
        end.flush();
      }
      case 1 -> {
        world.counts.met(Phenomenon.RESET);
        end.reset();
      }
      default -> {
        world.counts.met(Phenomenon.DESTROY);
        end.destroy();
      }
    }
  }

  private void connectAgain() {
    if (!one.isDrained()
        || !other.isDrained()
        || !cluster.device(oneDevice).isUp()
        || !cluster.device(otherDevice).isUp()) {
      world.agenda.after(LOOK_AGAIN_NS, this::connectAgain);
      return;
    }
    one.closeBooks();
    other.closeBooks();
    breaking = false;
    waiting = false;
    if (!mayLiveAgain()) {
      return;
    }
    world.counts.met(Phenomenon.RECONNECT);
    lives++;
    boolean again = service == QpType.RC && random.nextBoolean();
    ConnectedEnd.Life ofOne = nextLife(one, again);
    ConnectedEnd.Life ofOther = nextLife(other, again);
    connect(ofOne, ofOther);
  }

  private ConnectedEnd.Life nextLife(ConnectedEnd end, boolean again) {
    cluster.retire(end);
    boolean reused = end.prepareNext(again);
    if (reused) {
      world.counts.met(Phenomenon.REUSE);
    }
    int step = PSN_DISTANCE + random.nextInt(PSN_DISTANCE);
    return end.nextLife(reused, Psn.add(end.firstPsn(), downwards ? -step : step));
  }

  /** The standing of both ends, for the message about a connection that does not finish. */
  String standing() {
    return Wording.of(
        "%s%n  its peer: %s%s", one.standing(), other.standing(), breaking ? " (broken)" : "");
  }

  /** Whether both ends can be given up now. */
  boolean breakable() {
    return !breaking
        && one.state() == QpState.RTS
        && other.state() == QpState.RTS
        && lives < MOST_LIVES;
  }
}
