package org.roce4j.tools.perf;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.tools.options.ConfiguredDevices;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.perf.traffic.End;
import org.roce4j.tools.perf.traffic.Plan;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/**
 * A checked command line of {@code roce4j perf}.
 *
 * @param plan what to do; its path MTU is replaced by the one that both sides agree on
 * @param mtu the path MTU to ask for, or null for the device's
 * @param warmUp how long to play before measuring; both sides must do so, or neither
 * @param configured what the configuration says of devices
 * @param device a device of the device list, or null: make one for this run
 * @param bind local addresses; empty: choose
 * @param gidIndex index of the local address in the device's GID table
 * @param faults a fault plan for the device's port, or null
 * @param port TCP port of the exchange
 * @param server wait for a peer
 * @param host the peer to call, or null
 * @param patience how long the peer may be silent
 * @param limit how to hold the run against its twin, or null
 * @param pin tie each of two local processes to a processor of its own
 */
public record PerfOptions(
    Plan plan,
    Mtu mtu,
    WarmUp warmUp,
    TransportName transport,
    ConfiguredDevices configured,
    String device,
    List<Gid> bind,
    int gidIndex,
    String faults,
    int port,
    boolean server,
    String host,
    Duration patience,
    LimitOptions limit,
    boolean pin) {

  /** Whether this run starts its own peer. */
  public boolean local() {
    return !server && host == null;
  }

  /** The same, as one side of a pair on this machine. */
  PerfOptions side(boolean asServer, String peer, int tcpPort, Gid address) {
    return new PerfOptions(
        plan,
        mtu,
        warmUp,
        transport,
        configured,
        device,
        device == null ? List.of(address) : List.of(),
        gidIndex,
        faults,
        tcpPort,
        asServer,
        peer,
        patience,
        limit,
        pin);
  }

  /** The same with a twin on these ports. */
  PerfOptions beside(LimitOptions twin) {
    return new PerfOptions(
        plan,
        mtu,
        warmUp,
        transport,
        configured,
        device,
        bind,
        gidIndex,
        faults,
        port,
        server,
        host,
        patience,
        twin,
        pin);
  }

  /** The command line that means this, without the outputs' form. */
  List<String> arguments() {
    List<String> words = new ArrayList<>();
    words.add(plan.test().toString());
    words.addAll(configured.arguments());
    add(words, "-c", plan.service());
    add(words, "-s", plan.size());
    if (plan.durationNs() > 0) {
      add(words, "-D", seconds(plan.durationNs()));
    } else {
      add(words, "-n", plan.iterations());
    }
    add(words, "-q", plan.queuePairs());
    add(words, "-t", plan.txDepth());
    add(words, "-r", plan.rxDepth());
    add(words, "-l", plan.postList());
    add(words, "-I", plan.inline());
    add(words, "-Q", plan.signalEvery());
    add(words, "-u", plan.ackTimeout());
    if (mtu != null) {
      add(words, "-m", mtu.bytes());
    }
    if (plan.events()) {
      words.add("-e");
    }
    if (plan.verify()) {
      words.add("--verify");
    }
    add(words, "--warm-up", warmUp);
    add(words, "--transport", transport);
    add(words, "-x", gidIndex);
    add(words, "-p", port);
    add(words, "--patience", patience.toSeconds());
    if (device != null) {
      add(words, "-d", device);
    }
    if (!bind.isEmpty()) {
      add(words, "--bind", String.join(",", bind.stream().map(End::plain).toList()));
    }
    if (faults != null) {
      add(words, "--faults", faults);
    }
    if (limit != null) {
      words.add("--limit");
      add(words, "--pairs", limit.pairs());
      add(words, "--twin-port", limit.twinPort());
      add(words, "--twin-page", limit.page());
    }
    if (server) {
      words.add("--server");
    }
    if (host != null) {
      words.add(host);
    }
    return words;
  }

  private static void add(List<String> words, String name, Object value) {
    words.add(name);
    words.add(value.toString());
  }

  private static String seconds(long ns) {
    return Double.toString(ns / 1e9);
  }
}
