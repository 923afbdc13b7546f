package org.roce4j.tools.perf.traffic;

/**
 * The server of a test in which only the device answers: it lends the device its thread until the
 * client is done.
 */
final class Answerer extends Player {
  Answerer(PerfSide side) {
    super(side);
    if (bytes != null && plan.verb() == Verb.READ) {
      for (PerfLane lane : lanes) {
        for (int i = 0; i < side.layout().receiveSlots(); i++) {
          bytes.fill(lane.index, i, side.received(lane, i));
        }
      }
    }
  }

  @Override
  boolean step() {
    return poll() > 0;
  }

  @Override
  boolean finished() {
    return stopped;
  }

  @Override
  boolean expectsMore() {
    return false;
  }
}
