package org.roce4j.simulation;

import java.util.SplittableRandom;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.wire.Psn;

/**
 * Two ends that are connected, and connected again when the connection broke: each life has ends of
 * its own, with new memory, new PSNs and often new queue pairs. Packets of an earlier life that are
 * still under way must not count in the next one.
 */
final class Connection {
  private static final int MOST_LIVES = 5;
  private static final long LOOK_AGAIN_NS = 20_000;

  /** PSNs of two lives are so far apart at least, and those of all lives within 24 bits. */
  private static final int PSN_DISTANCE = 1 << 20;

  private final Run run;
  private final QpType service;
  private final String name;
  private final int oneDevice;
  private final int otherDevice;
  private final SplittableRandom random;
  private final boolean downwards;
  private Endpoint one;
  private Endpoint other;
  private int lives = 1;
  private boolean breaking;
  private boolean waiting;

  Connection(
      Run run,
      QpType service,
      String name,
      int oneDevice,
      int otherDevice,
      SplittableRandom random) {
    this.run = run;
    this.service = service;
    this.name = name;
    this.oneDevice = oneDevice;
    this.otherDevice = otherDevice;
    this.random = random;
    downwards = random.nextBoolean();
    int operations = run.options().integer(Knob.OPERATIONS);
    connect(
        new Endpoint.Life(null, false, firstPsn(), operations),
        new Endpoint.Life(null, false, firstPsn(), operations));
  }

  private int firstPsn() {
    SimulationOptions options = run.options();
    return options.on(Knob.WRAP)
        ? Psn.MASK - random.nextInt(options.integer(Knob.WRAP))
        : random.nextInt(Psn.MASK + 1);
  }

  private void connect(Endpoint.Life ofOne, Endpoint.Life ofOther) {
    String suffix = lives == 1 ? "" : " life " + lives;
    one =
        new Endpoint(
            run,
            run.cluster().device(oneDevice),
            service,
            name + "a" + suffix,
            ofOne,
            random.split());
    other =
        new Endpoint(
            run,
            run.cluster().device(otherDevice),
            service,
            name + "b" + suffix,
            ofOther,
            random.split());
    one.onFailure(this::failed);
    other.onFailure(this::failed);
    Endpoint.connect(one, other);
  }

  Endpoint one() {
    return one;
  }

  Endpoint other() {
    return other;
  }

  /** Whether nothing is left to be done on it, in this life or another. */
  boolean finished() {
    return !breaking && one.finished() && other.finished();
  }

  // ---- breaking and connecting again

  private boolean mayLiveAgain() {
    return run.options().on(Knob.RECONNECT)
        && lives < MOST_LIVES
        && one.operationsLeft() + other.operationsLeft() > 0;
  }

  private void failed() {
    if (mayLiveAgain()) {
      breakLater();
    }
  }

  /** That device is gone with all its queue pairs; the other end learns of it in its own way. */
  void crashed(SimulatedDevice device) {
    if (one.device != device && other.device != device) {
      return;
    }
    for (Endpoint end : new Endpoint[] {one, other}) {
      if (end.device == device) {
        end.vanish();
      }
    }
    breakLater();
  }

  /** Its applications give it up, one after the other. */
  void breakLater() {
    if (!breaking) {
      breaking = true;
      Endpoint first = one;
      Endpoint second = other;
      run.agenda().at(run.nowNs() + news(), () -> breakEnd(first));
      run.agenda().at(run.nowNs() + news(), () -> breakEnd(second));
    }
  }

  /** How long news take outside of the network. */
  private long news() {
    return random.nextBoolean() ? 0 : random.nextLong(2_000_000);
  }

  private void breakEnd(Endpoint end) {
    if (end != one && end != other) {
      return; // crashed meanwhile, and another one has its place
    }
    run.letArrive();
    if (!isDown(end)) {
      giveUp(end);
    }
    if (!waiting && isDown(one) && isDown(other)) {
      waiting = true;
      run.agenda().at(run.nowNs() + news() / 8, this::connectAgain);
    }
  }

  private static boolean isDown(Endpoint end) {
    return end.wasCut() || end.isFlushing();
  }

  private void giveUp(Endpoint end) {
    int manner = end.device.srq() != null ? 0 : random.nextInt(3);
    switch (manner) {
      case 0 -> {
        run.count(Phenomenon.FLUSH);
        end.flush();
      }
      case 1 -> {
        run.count(Phenomenon.RESET);
        end.reset();
      }
      default -> {
        run.count(Phenomenon.DESTROY);
        end.destroy();
      }
    }
  }

  private void connectAgain() {
    if (!one.isDrained()
        || !other.isDrained()
        || !run.cluster().device(oneDevice).isUp()
        || !run.cluster().device(otherDevice).isUp()) {
      run.agenda().at(run.nowNs() + LOOK_AGAIN_NS, this::connectAgain);
      return;
    }
    one.closeBooks();
    other.closeBooks();
    breaking = false;
    waiting = false;
    if (!mayLiveAgain()) {
      return;
    }
    run.count(Phenomenon.RECONNECT);
    lives++;
    boolean again = service == QpType.RC && random.nextBoolean();
    Endpoint.Life ofOne = nextLife(one, again);
    Endpoint.Life ofOther = nextLife(other, again);
    connect(ofOne, ofOther);
  }

  private Endpoint.Life nextLife(Endpoint end, boolean again) {
    run.cluster().retire(end);
    boolean reused = end.prepareNext(again);
    if (reused) {
      run.count(Phenomenon.REUSE);
    }
    int step = PSN_DISTANCE + random.nextInt(PSN_DISTANCE);
    return new Endpoint.Life(
        end, reused, Psn.add(end.firstPsn(), downwards ? -step : step), end.operationsLeft());
  }

  /** What is worth telling if it does not finish. */
  String standing() {
    return "%s%n  its peer: %s%s"
        .formatted(one.standing(), other.standing(), breaking ? " (broken)" : "");
  }

  /** Whether both ends can be given up now. */
  boolean breakable() {
    return !breaking
        && Participant.stateOf(one.qp()) == QpState.RTS
        && Participant.stateOf(other.qp()) == QpState.RTS
        && lives < MOST_LIVES;
  }
}
