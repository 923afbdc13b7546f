package org.roce4j.tools.proxy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.roce4j.emulator.PortSelection;
import org.roce4j.engine.counter.Counter;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.capture.CapturePort;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.capture.CaptureWriter;

/**
 * Two ports: each sends the datagrams that the other receives. The plan of faults is at the second
 * port: datagrams of end A are {@code out}, those of end B {@code in}. The captures are next to the
 * sockets. For one thread.
 */
final class Proxy implements AutoCloseable {
  private static final long SHORT_NS = 50_000;
  private static final long LONG_NS = 1_000_000;
  private static final int IDLE_TURNS = 200;

  private final Ends ends;
  private final DamageCount facingA;
  private final DamageCount beforePlan;
  private final FaultPort facingB;
  private final FaultPlan plan;
  private final Forwarding toB;
  private final Forwarding toA;
  private int idle;

  /** The two ends, and for each the address that it takes for the other end. */
  record Ends(Gid a, Gid facingA, Gid b, Gid facingB) {
    /** The change of addresses from end A to end B. */
    Readdressing toB() {
      return new Readdressing(a, facingB, facingA, b);
    }

    /** The change of addresses from end B to end A. */
    Readdressing toA() {
      return new Readdressing(b, facingA, facingB, a);
    }
  }

  /**
   * @param captures files of the captures, at A's side and at B's; empty: none
   */
  Proxy(Ends ends, String transport, FaultPlan plan, List<Path> captures) {
    this.ends = ends;
    this.plan = plan;
    facingA = new DamageCount(captured(open(transport, ends.facingA), captures, 0));
    try {
      beforePlan = new DamageCount(captured(open(transport, ends.facingB), captures, 1));
      facingB = new FaultPort(beforePlan, plan);
    } catch (RuntimeException | Error e) {
      facingA.close();
      throw e;
    }
    facingA.adopt();
    facingB.adopt();
    toB = new Forwarding(facingA, facingB, ends.toB());
    toA = new Forwarding(facingB, facingA, ends.toA());
  }

  private static Port open(String transport, Gid address) {
    return PortSelection.choose(transport).open(PortOptions.of(List.of(address)));
  }

  private static Port captured(Port port, List<Path> captures, int index) {
    return captures.isEmpty()
        ? port
        : new CapturePort(
            port, PortOptions.ROCE_UDP_PORT, captures.get(index), CaptureWriter.WHOLE_FRAMES);
  }

  /** Forwards the datagrams of both ends; waits briefly if there are none. */
  void turn() {
    if (toB.turn() + toA.turn() > 0) {
      idle = 0;
      return;
    }
    idle = Math.min(idle + 1, IDLE_TURNS);
    long waitNs = idle < IDLE_TURNS ? SHORT_NS : LONG_NS;
    (idle % 2 == 0 ? facingA : facingB).await(waitNs);
  }

  /** The counts of both directions, an end that is silent, and the counts of the rules. */
  List<String> report() {
    List<String> lines = new ArrayList<>();
    lines.add(way("A", "B", toB, facingA, facingB) + "; " + facingA.damaged() + " came damaged");
    lines.add(way("B", "A", toA, facingB, facingA) + "; " + beforePlan.damaged() + " came damaged");
    if (toB.forwarded() > 0) {
      silent("B", toA, ends.b, ends.facingB).ifPresent(lines::add);
    }
    if (toA.forwarded() > 0) {
      silent("A", toB, ends.a, ends.facingA).ifPresent(lines::add);
    }
    for (int i = 0; i < plan.rules().size(); i++) {
      lines.add(
          Wording.of(
              "rule %d (%s): %d datagrams",
              i + 1, plan.rules().get(i), facingB.injector().applied(i)));
    }
    return lines;
  }

  /** Datagrams that the proxy itself has lost are reported, because no rule has chosen them. */
  private static String way(String from, String to, Forwarding passed, Port in, Port out) {
    long missed = in.counters().get(Counter.SOCKET_RECEIVE_DROPPED);
    long refused = out.counters().get(Counter.SEND_ERROR);
    return Wording.of(
        "%s to %s: %s%s%s",
        from,
        to,
        passed,
        missed > 0 ? "; " + missed + " lost before the proxy read them" : "",
        refused > 0 ? "; " + refused + " could not be sent" : "");
  }

  private static Optional<String> silent(String name, Forwarding from, Gid end, Gid peer) {
    return from.forwarded() > 0
        ? Optional.empty()
        : Optional.of(
            Wording.of(
                "nothing came from %s: does it run at %s, and take %s for its peer?",
                name, end.addressText(), peer.addressText()));
  }

  @Override
  public void close() {
    facingA.close();
    facingB.close();
  }
}
