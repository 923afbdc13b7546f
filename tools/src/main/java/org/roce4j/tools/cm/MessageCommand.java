package org.roce4j.tools.cm;

import java.util.concurrent.Callable;
import org.roce4j.verbs.cm.PortSpace;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The common part of {@code ucmatose} and {@code udaddy}: each runs a {@link MessageTest} on either
 * side.
 */
abstract class MessageCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private MessageOptions options;
  @Mixin private AddressFormat format;
  @Mixin private CmDevices devices;

  @Option(
      names = "-s",
      paramLabel = "ADDRESS",
      description = "Where the server is; without it this is the server.")
  private String server;

  final void check() {
    options.check();
    format.check();
  }

  /**
   * Plays this side.
   *
   * @param name of the C program
   * @param ackTimeout of the queue pairs; null: as they are
   * @param migrate whether all ids move to another event channel before the end
   */
  final int play(String name, PortSpace space, int port, Integer ackTimeout, boolean migrate) {
    MessageTest test = new MessageTest(name, space, options, ackTimeout, spec.commandLine());
    devices.play(
        options.bind(format::address),
        server == null ? null : format.address(server),
        port,
        (cm, at) -> test.serve(cm, at, migrate),
        (cm, from, to) -> test.connect(cm, from, to, migrate));
    return 0;
  }
}
