package org.roce4j.tools.cm;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j cmtime}. */
@Command(
    name = "cmtime",
    mixinStandardHelpOptions = true,
    header = "Measure each step of many connections, as cmtime does.",
    description = "%nNo message is sent over the connections. The server ends with the last one.%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j cmtime -b 127.0.0.1 -c 1000           serve a thousand connections",
      "  roce4j cmtime -s 127.0.0.1 -c 1000           make them, and tell how long each step took"
    })
public final class CmtimeCommand implements Callable<Integer> {
  private static final int NS_OF_US = 1000;

  @Spec private CommandSpec spec;
  @Mixin private CmDevices devices;

  @Option(
      names = "-s",
      paramLabel = "ADDRESS",
      description = "Where the server is; without it this is the server.")
  private String server;

  @Option(names = "-b", paramLabel = "ADDRESS", description = "The local address.")
  private String bind;

  @Option(
      names = "-c",
      paramLabel = "CONNECTIONS",
      defaultValue = "100",
      description = "Connections (default: ${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "-p",
      paramLabel = "PORT",
      defaultValue = "7471",
      description = "Port of rdma_cm (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "-t",
      paramLabel = "MS",
      defaultValue = "2000",
      description = "Time for address and route each, in milliseconds (default: ${DEFAULT-VALUE}).")
  private int timeoutMs;

  private final List<CmId> ids = new ArrayList<>();
  private EventChannel channel;

  @Override
  public Integer call() {
    if (connections < 1) {
      throw ToolFailure.usage("-c is 1 or more, not " + connections);
    }
    InetAddress own = bind == null ? null : CmDevices.address(bind);
    devices.play(own, server, port, this::serve, this::measure);
    return 0;
  }

  private void serve(RdmaCm cm, InetSocketAddress at) {
    channel = cm.createEventChannel();
    CmId listener = channel.createId(PortSpace.TCP);
    listener.bindAddr(at);
    listener.listen(0);
    say("cmtime: listening at " + listener.localAddr());
    for (int ended = 0; ended < connections; ) {
      CmId id;
      boolean over;
      try (CmEvent event = channel.getCmEvent()) {
        id = event.id();
        over = event instanceof CmEvent.Disconnected || event instanceof CmEvent.Unreachable;
        if (event instanceof CmEvent.ConnectRequest) {
          id.createQp(null, new QpInitAttr());
          id.accept(new ConnParam());
        }
      }
      if (over) {
        ConnectionEvents.disconnectQuietly(id);
        id.close();
        ended++;
      }
    }
  }

  private void measure(RdmaCm cm, InetAddress own, InetSocketAddress to) {
    channel = cm.createEventChannel();
    InetSocketAddress from = own == null ? null : new InetSocketAddress(own, 0);
    say(String.format("%-14s %12s %12s", "step", "total ms", "us / conn"));
    time(
        "create id",
        () -> {
          for (int i = 0; i < connections; i++) {
            ids.add(channel.createId(PortSpace.TCP));
          }
        });
    step("resolve addr", id -> id.resolveAddr(from, to, timeoutMs), CmEvent.AddrResolved.class);
    step("resolve route", id -> id.resolveRoute(timeoutMs), CmEvent.RouteResolved.class);
    time("create qp", () -> ids.forEach(id -> id.createQp(null, new QpInitAttr())));
    step("connect", id -> id.connect(new ConnParam()), CmEvent.Established.class);
    step("disconnect", CmId::disconnect, CmEvent.Disconnected.class);
    time("destroy", () -> ids.forEach(CmId::close));
  }

  /** A call of each id, and then the event that it comes to. */
  private void step(String name, Consumer<CmId> call, Class<? extends CmEvent> outcome) {
    time(
        name,
        () -> {
          ids.forEach(call);
          for (int i = 0; i < connections; i++) {
            ConnectionEvents.take(channel, outcome).ack();
          }
        });
  }

  private void time(String name, Runnable step) {
    long startNs = System.nanoTime();
    step.run();
    double us = (System.nanoTime() - startNs) / (double) NS_OF_US;
    say(String.format(Locale.ROOT, "%-14s %12.2f %12.2f", name, us / 1000, us / connections));
  }

  private void say(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
