package org.roce4j.tools.perf.traffic;

/**
 * The server where the device alone answers: it lends the device its thread until the client says
 * that it is done.
 */
final class Answerer extends Player {
  Answerer(End end) {
    super(end);
    if (bytes != null && plan.verb() == Verb.READ) {
      for (Lane lane : lanes) {
        for (int i = 0; i < end.layout().receiveSlots(); i++) {
          bytes.fill(lane.index, i, end.received(lane, i));
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
