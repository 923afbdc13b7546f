package org.roce4j.tools.doctor;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/** The questions that checks ask a machine; a test answers with a machine that has a problem. */
public interface SystemView {
  /** A property of the virtual machine; empty if it is not set. */
  String property(String name);

  /** The lines of a file; none if it cannot be read. */
  List<String> lines(String file);

  /** The names in a directory; none if it cannot be read. */
  List<String> names(String directory);

  /** Where a symbolic link points to. */
  Optional<String> link(String path);

  /** Whether such a file or directory exists. */
  boolean exists(String path);

  /** The network interfaces that are up. */
  List<Interface> interfaces();

  /** The kinds of port on the class path, the preferred one first; each was tried. */
  List<TriedPort> ports();

  /** Whether a datagram from one loopback address to another arrives. */
  boolean loopbackWorks();

  /** The address from which datagrams to a peer would be sent; empty if there is no route. */
  Optional<InetAddress> sourceFor(InetAddress peer);

  /**
   * A network interface.
   *
   * @param mtu of IP packets, in bytes
   */
  record Interface(String name, int mtu, List<InetAddress> addresses) {}

  /**
   * A kind of port after it was opened for a moment.
   *
   * @param unavailable why it does not work here; empty if it works
   * @param maxTrain datagrams per system call by segmentation offload; 1: none
   */
  record TriedPort(String name, String unavailable, int maxTrain) {}
}
