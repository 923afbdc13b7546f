package org.roce4j.device;

import java.util.Map;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.PortState;

/** What the device asks of its port besides carrying datagrams. */
public interface PortControl {
  /** For an engine without a port: it is up, joins nothing and counts nothing. */
  PortControl NONE =
      new PortControl() {
        @Override
        public void join(Gid group, Gid own) {}

        @Override
        public void leave(Gid group, Gid own) {}

        @Override
        public PortState state(int port) {
          return PortState.ACTIVE;
        }

        @Override
        public Map<String, Long> counters() {
          return Map.of();
        }
      };

  /** Receives datagrams of a multicast group as well, on the network of an own address. */
  void join(Gid group, Gid own);

  void leave(Gid group, Gid own);

  /**
   * One local address more.
   *
   * @throws org.roce4j.verbs.VerbsException EADDRINUSE and the like, with nothing changed;
   *     EOPNOTSUPP from a port whose addresses do not change
   */
  default void add(Gid address) {
    throw Errno.EOPNOTSUPP.refusal("the addresses of this port do not change");
  }

  /** One local address less; EOPNOTSUPP as {@link #add}. */
  default void remove(Gid address) {
    throw Errno.EOPNOTSUPP.refusal("the addresses of this port do not change");
  }

  /**
   * @param port from 1 on
   */
  PortState state(int port);

  /** Counters kept below the engine, by label. */
  Map<String, Long> counters();
}
