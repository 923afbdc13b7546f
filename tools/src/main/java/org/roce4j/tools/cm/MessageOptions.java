package org.roce4j.tools.cm;

import java.net.InetAddress;
import java.util.function.Function;
import org.roce4j.tools.options.OptionRange;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
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
    OptionRange.check("-c", connections, 1, Integer.MAX_VALUE);
    OptionRange.check("-C", count, 0, Integer.MAX_VALUE);
    OptionRange.check("-S", size, 0, MOST_SIZE);
    OptionRange.check("-t", tos == null ? 0 : tos, 0, 255);
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
