package org.roce4j.device;

import java.util.Map;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.PortState;

/** The control of a port by its device, besides carrying datagrams. */
public interface PortControl {
  /** The control of an engine without a port: it is up, joins no groups and counts nothing. */
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

  /** Also receives the datagrams to a multicast group, on the network of an own address. */
  void join(Gid group, Gid own);

  void leave(Gid group, Gid own);

  /**
   * Adds a local address.
   *
   * @throws org.roce4j.verbs.VerbsException EADDRINUSE and the like, with nothing changed;
   *     EOPNOTSUPP from a port whose addresses do not change
   */
  default void add(Gid address) {
    throw Errno.EOPNOTSUPP.refusal("the addresses of this port do not change");
  }

  /**
   * Removes a local address.
   *
   * @throws org.roce4j.verbs.VerbsException EOPNOTSUPP as {@link #add}
   */
  default void remove(Gid address) {
    throw Errno.EOPNOTSUPP.refusal("the addresses of this port do not change");
  }

  /**
   * @param port number of the port, from 1
   */
  PortState state(int port);

  /** The counters of the port, by label. */
  Map<String, Long> counters();
}
