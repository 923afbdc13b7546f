package org.roce4j.tools.cm;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The common part of {@code rdma-client}, {@code rdma-server}, {@code rdma-xclient} and {@code
 * rdma-xserver}: one endpoint, one connection, a first and a last line of output.
 */
abstract class OneExchange implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "-p",
      paramLabel = "PORT",
      defaultValue = "7471",
      converter = PortNumber.class,
      description = "Port of rdma_cm (default: ${DEFAULT-VALUE}).")
  private int port;

  @Mixin private CmDevices devices;

  /** Calls {@code server}; {@code exchange} connects the endpoint and uses it. */
  final int call(String server, AddrInfo hints, QpInitAttr attr, Consumer<CmId> exchange) {
    AddrInfo there = place(server, hints);
    speech().say(name() + ": start");
    try (CmDevices.Opened opened = devices.connecting(null, there.dstAddr().getAddress());
        CmId id = opened.cm().createEp(there, null, attr)) {
      exchange.accept(id);
    }
    speech().say(name() + ": end 0");
    return 0;
  }

  /** Waits at {@code address}; {@code exchange} accepts the first request and uses it. */
  final int listen(String address, AddrInfo hints, QpInitAttr attr, Consumer<CmId> exchange) {
    AddrInfo here = place(address, hints.flags(AddrInfo.PASSIVE));
    try (CmDevices.Opened opened = devices.listening(here.srcAddr().getAddress());
        CmId listener = opened.cm().createEp(here, null, attr)) {
      listener.listen(0);
      speech().say(name() + ": start");
      try (CmId id = listener.getRequest()) {
        exchange.accept(id);
      }
    }
    speech().say(name() + ": end 0");
    return 0;
  }

  /** An unknown host is reported as by the other commands. */
  private AddrInfo place(String host, AddrInfo hints) {
    String address = host == null ? null : CmDevices.address(host).getHostAddress();
    return AddrInfo.resolve(address, Integer.toString(port), hints);
  }

  /** Waits for completions of a connection. */
  final ConnectionWait hearing(CmId id) {
    return new ConnectionWait(ConnectionEvents.of(id, () -> {}), speech()::note);
  }

  /** Connects; a request that nobody answers is given up after about a minute. */
  final void connect(CmId id) {
    Executor later = CompletableFuture.delayedExecutor(ConnectionWait.NOTE_S, TimeUnit.SECONDS);
    CompletableFuture<Void> noted =
        CompletableFuture.runAsync(
            () -> speech().note("waiting for the server's answer to the request of " + id), later);
    try {
      id.connect(new ConnParam());
    } finally {
      noted.cancel(false);
    }
  }

  private Speech speech() {
    return new Speech(name(), spec.commandLine());
  }

  private String name() {
    return spec.name().replace('-', '_');
  }
}
