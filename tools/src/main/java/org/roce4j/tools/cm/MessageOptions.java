package org.roce4j.tools.cm;

import java.net.InetAddress;
import java.util.function.Function;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Option;

/** The options that {@code ucmatose} and {@code udaddy} share, and {@code mckey} in part. */
final class MessageOptions {
  /** The greatest message of a queue pair. */
  private static final int MOST_SIZE = 1 << 30;

  @Option(names = "-b", paramLabel = "ADDRESS", description = "The local address.")
  private String bind;

  @Option(
      names = "-c",
      paramLabel = "CONNECTIONS",
      defaultValue = "1",
      description = "Connections (default: ${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "-C",
      paramLabel = "COUNT",
      defaultValue = "10",
      description = "Messages of a connection, each way (default: ${DEFAULT-VALUE}).")
  private int count;

  @Option(
      names = "-S",
      paramLabel = "BYTES",
      defaultValue = "100",
      description = "Size of a message (default: ${DEFAULT-VALUE}).")
  private int size;

  @Option(names = "-t", paramLabel = "TOS", description = "Type of service, 0 to 255.")
  private Integer tos;

  void check() {
    if (connections < 1 || count < 0 || size < 0 || size > MOST_SIZE) {
      throw ToolFailure.usage(Wording.of("-c is 1 or more, -C 0 or more, -S 0 to %d", MOST_SIZE));
    }
  }

  /** The local address as {@code read} reads it; null if none was given. */
  InetAddress bind(Function<String, InetAddress> read) {
    return bind == null ? null : read.apply(bind);
  }

  int connections() {
    return connections;
  }

  /** Without bytes there are no messages, as in the C programs. */
  int count() {
    return size == 0 ? 0 : count;
  }

  int size() {
    return size;
  }

  void apply(CmId id) {
    if (tos != null) {
      id.setOption(CmOption.TOS, tos);
    }
  }
}
