package org.roce4j.tools.cm;

import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.PortSpace;
import picocli.CommandLine.Option;

/** What {@code rdma-xclient} and {@code rdma-xserver} have in common. */
final class ExtendedOptions {
  /** Of the message, the only one. */
  static final int SIZE = 16;

  /** Kinds of connections, by their letters. */
  enum Kind {
    r,
    x
  }

  @Option(
      names = "-p",
      paramLabel = "PORT",
      defaultValue = "7471",
      description = "Port of rdma_cm (default: ${DEFAULT-VALUE}).")
  private String port;

  @Option(
      names = "-c",
      paramLabel = "KIND",
      defaultValue = "r",
      description =
          "r: a reliable connection; x: an extended one (XRC), which soft-RoCE does not have"
              + " (default: ${DEFAULT-VALUE}).")
  private Kind kind;

  String port() {
    return port;
  }

  boolean extended() {
    return kind == Kind.x;
  }

  /**
   * The kind of endpoint.
   *
   * @param type of the side's queue pair if it is an extended one
   */
  AddrInfo hints(QpType type) {
    return extended()
        ? new AddrInfo().portSpace(PortSpace.IB).qpType(type)
        : new AddrInfo().portSpace(PortSpace.TCP).qpType(QpType.RC);
  }
}
