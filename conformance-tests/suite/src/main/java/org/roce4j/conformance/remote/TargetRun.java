package org.roce4j.conformance.remote;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.backend.Deviation;
import org.roce4j.conformance.backend.SoftRoceDeviations;
import org.roce4j.conformance.dialogue.ConnectedPackets;
import org.roce4j.conformance.dialogue.Dialogue;
import org.roce4j.conformance.dialogue.Probe;
import org.roce4j.conformance.dialogue.UdpWire;
import org.roce4j.conformance.remote.SubjectSetup.Attribute;
import org.roce4j.conformance.run.DeclaredDeviations;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Transport;

/**
 * Holds dialogues with the device of a {@link TargetServer} in real time. For use by one thread.
 */
public final class TargetRun implements AutoCloseable {
  private static final int PROBE_QPN = 0x5f0001;
  private static final int FIRST_QPN = 0x5f0100;
  private static final int QPNS = 0x1000;

  private final InetSocketAddress server;
  private final UdpWire wire;
  private final String description;
  private final RemoteSubject probed;
  private final Probe probe;
  private final DeclaredDeviations deviations;
  private String lastWords;
  private int dialogues = Math.floorMod(System.nanoTime() >>> 10, QPNS);

  /**
   * Connects to the server and binds our address.
   *
   * @param bind our address, which subjects are connected to
   * @param udpPort UDP port of both ends, 4791 except in tests
   * @param declared known deviations of the target; those of soft-RoCE are added if the target
   *     describes itself as soft-RoCE
   * @throws UncheckedIOException if the server or the address cannot be used
   */
  public TargetRun(
      InetAddress target,
      int controlPort,
      InetAddress bind,
      int udpPort,
      List<Deviation> declared) {
    server = new InetSocketAddress(target, controlPort);
    probed = new RemoteSubject(server);
    description = probed.description();
    List<Deviation> known = new ArrayList<>(declared);
    if (description.contains(SoftRoceDeviations.NAME)) {
      known.addAll(SoftRoceDeviations.dialogues());
    }
    deviations = new DeclaredDeviations(known);
    wire = new UdpWire(bind, target, udpPort, description.startsWith("roce4j emulator"));
    wire.listensFor(Set.of(PROBE_QPN));
    SubjectSetup setup = SubjectSetup.rc().with(Attribute.DEST_QPN, PROBE_QPN);
    int probedQp = probed.make(wire.address(), setup).qpNum();
    int own = setup.get(Attribute.SQ_PSN);
    int there = setup.get(Attribute.RQ_PSN);
    probe =
        new Probe(
            new ConnectedPackets(Transport.RC, probedQp, there, own),
            new ConnectedPackets(Transport.RC, PROBE_QPN, own, there));
    checkAnswers(udpPort);
  }

  /**
   * Checks that the device answers, so that one failure tells the reason and not one for each
   * dialogue.
   */
  private void checkAnswers(int udpPort) {
    try {
      new Dialogue(wire, probe).hearsNothing();
    } catch (AssertionError silent) {
      close();
      throw new UncheckedIOException(
          new IOException(
              Wording.of(
                  "the target answers at TCP %s, but its device not from %s to %s at UDP port %d:"
                      + " %s",
                  server,
                  wire.device(),
                  wire.address(),
                  udpPort,
                  "a firewall, NAT, or an address it cannot reach?"),
              silent));
    }
  }

  /**
   * Holds dialogues in order.
   *
   * @param each receives every result as it comes, and returns whether to continue
   */
  public SuiteReport run(List<WireDialogue> list, Predicate<RowResult> each) {
    List<RowResult> results = new ArrayList<>();
    for (WireDialogue dialogue : list) {
      RowResult result = run(dialogue);
      results.add(result);
      if (!each.test(result)) {
        break;
      }
    }
    String where = server.getAddress().getHostAddress();
    return new SuiteReport("target", where + ": " + description, List.copyOf(results));
  }

  /**
   * Holds one dialogue. If the target does not survive it, this is a failure and no deviation, and
   * the later dialogues fail without being held.
   */
  private RowResult run(WireDialogue dialogue) {
    if (lastWords != null) {
      return result(dialogue, Verdict.FAIL, lastWords, null);
    }
    Optional<RowResult> fatal = deviations.fatal(dialogue.row());
    if (fatal.isPresent()) {
      return fatal.get();
    }
    RowResult result = drained(judge(dialogue));
    if (result.verdict() == Verdict.FAIL && isGone()) {
      lastWords = "the target is gone since " + dialogue.id();
      return result;
    }
    return deviations.hold(result);
  }

  /** Whether the server does not answer any more. */
  private boolean isGone() {
    try (RemoteSubject _ = new RemoteSubject(server)) {
      return false;
    } catch (UncheckedIOException e) {
      return true;
    }
  }

  /** Hears the packets that a dialogue left, so that the next one does not hear them. */
  private RowResult drained(RowResult result) {
    try {
      new Dialogue(wire, probe).hearsOut();
      return result;
    } catch (RuntimeException | AssertionError e) {
      return result.verdict() == Verdict.FAIL
          ? result
          : new RowResult(result.row(), Verdict.FAIL, "after the dialogue: " + e.getMessage(), e);
    }
  }

  private RowResult judge(WireDialogue dialogue) {
    if (!dialogue.everywhere() && !wire.everyBit()) {
      return result(dialogue, Verdict.SKIPPED, "held with roce4j's own devices alone", null);
    }
    if (dialogue.wires() == WireDialogue.Wires.FABRIC) {
      return result(dialogue, Verdict.SKIPPED, "held on the fabric alone, to the nanosecond", null);
    }
    int qpn = FIRST_QPN + dialogues++ % QPNS * Talk.MOST_QPS;
    Set<Integer> ours = new HashSet<>(Set.of(PROBE_QPN));
    IntStream.range(0, Talk.MOST_QPS).forEach(i -> ours.add(qpn + i));
    wire.listensFor(ours);
    SubjectSetup setup = dialogue.setup().with(Attribute.DEST_QPN, qpn);
    try (RemoteSubject remote = new RemoteSubject(server)) {
      Subject subject;
      try {
        subject = remote.make(wire.address(), setup);
      } catch (Subject.Refused e) {
        return result(dialogue, Verdict.SKIPPED, "the target refuses it: " + e.getMessage(), null);
      }
      dialogue.script().accept(new Talk(new Dialogue(wire, probe), subject, setup, qpn));
      return result(dialogue, Verdict.PASS, "", null);
    } catch (RuntimeException | AssertionError e) {
      return result(dialogue, Verdict.FAIL, String.valueOf(e.getMessage()), e);
    }
  }

  private static RowResult result(
      WireDialogue dialogue, Verdict verdict, String reason, Throwable cause) {
    return new RowResult(dialogue.row(), verdict, reason, cause);
  }

  @Override
  public void close() {
    probed.close();
    wire.close();
  }
}
