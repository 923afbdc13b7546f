package org.roce4j.device;

import java.util.Map;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.PortState;

/** A port that a test plays: it is up, takes every group and address, and counts nothing. */
interface PlayedPortControl extends PortControl {
  @Override
  default void join(Gid group, Gid own) {}

  @Override
  default void leave(Gid group, Gid own) {}

  @Override
  default void add(Gid address) {}

  @Override
  default void remove(Gid address) {}

  @Override
  default PortState state(int port) {
    return PortState.ACTIVE;
  }

  @Override
  default Map<String, Long> counters() {
    return Map.of();
  }
}
