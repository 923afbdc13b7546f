package org.roce4j.tools.cm;

import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.PortSpace;
import picocli.CommandLine.Option;

/** The kind of connection that {@code rdma-xclient} and {@code rdma-xserver} make. */
final class ExtendedOptions {
  /** Kinds of connections, by their letters. */
  enum Kind {
    r,
    x
  }

  @Option(
      names = "-c",
      paramLabel = "KIND",
      defaultValue = "r",
      description =
          "r: a reliable connection; x: an extended one (XRC), which soft-RoCE does not have"
              + " (default: ${DEFAULT-VALUE}).")
  private Kind kind;

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
