package org.roce4j.conformance.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Rule;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.backend.Deviation;
import org.roce4j.conformance.remote.SubjectSetup.Attribute;
import org.roce4j.conformance.remote.WireDialogue.FabricSetup;
import org.roce4j.conformance.remote.WireDialogue.Wires;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.Emulator;
import org.roce4j.robustness.Loopback;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;

/** How a run judges a dialogue with a device of this process. */
@Timeout(60)
class TargetRunTest {
  private static final InetAddress DEVICE = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress OURS = InetAddress.ofLiteral("127.0.0.2");
  private static final Consumer<Talk> HOLDS =
      talk -> {
        write(talk, 0);
        talk.d.hears(talk.here.ack(0, 1));
      };
  private static final Consumer<Talk> HEARS_NOT_WHAT_COMES =
      talk -> {
        write(talk, 0, 1, 2);
        talk.d.hearsNothing();
      };

  private int udpPort;
  private Context context;
  private TargetServer server;

  @BeforeEach
  void serve() throws Exception {
    udpPort = Loopback.freeUdpPort(DEVICE, OURS);
    RdmaDevice device =
        Emulator.device(DeviceOptions.of("target", Gid.of(DEVICE)).withUdpPort(udpPort));
    context = device.open();
    server = new TargetServer(device, 0, "roce4j emulator", DEVICE, 0);
    Thread.ofPlatform().daemon().start(server::run);
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    context.close();
  }

  private static void write(Talk talk, int... psns) {
    Subject s = talk.subject;
    for (int psn : psns) {
      talk.d.says(talk.peer.write(psn, s.va(0), s.rkey(), 8).bytes(0, 8).ackReq());
    }
  }

  private static WireDialogue dialogue(String id, Consumer<Talk> script) {
    return new WireDialogue(
        id,
        Rule.ACKNOWLEDGING,
        "as it should",
        SubjectSetup.rc(),
        script,
        true,
        Wires.ALL,
        FabricSetup.USUAL);
  }

  private List<RowResult> run(List<Deviation> declared, WireDialogue... dialogues) {
    try (TargetRun run = new TargetRun(DEVICE, server.port(), OURS, udpPort, declared)) {
      return run.run(List.of(dialogues), result -> true).results();
    }
  }

  /** The agreement has one subject for each connection. */
  @Test
  void aSecondSubjectOfAConnectionLeavesNothingOfTheFirst() {
    EmulatedDevice device = (EmulatedDevice) context.device();
    device.rememberOrigins();
    Gid ours = Gid.of(OURS);
    try (RemoteSubject subject = new RemoteSubject(new InetSocketAddress(DEVICE, server.port()))) {
      int first = subject.make(ours, SubjectSetup.rc()).qpNum();
      int second = subject.make(ours, SubjectSetup.rc()).qpNum();
      assertNotEquals(first, second);
      assertEquals(1, contexts(device));
    }
  }

  @Test
  void aSubjectThatTheDeviceRefusesLeavesNothing() {
    EmulatedDevice device = (EmulatedDevice) context.device();
    device.rememberOrigins();
    SubjectSetup tooLarge = SubjectSetup.rc().with(Attribute.SEND_CQE, Integer.MAX_VALUE);
    try (RemoteSubject subject = new RemoteSubject(new InetSocketAddress(DEVICE, server.port()))) {
      assertThrows(Subject.Refused.class, () -> subject.make(Gid.of(OURS), tooLarge));
      assertEquals(0, contexts(device));
    }
  }

  private static long contexts(EmulatedDevice device) {
    return device.openObjects().keySet().stream().filter(Context.class::isInstance).count();
  }

  @Test
  void aFailureThatIsDeclaredIsADeviationWithBothReasons() {
    RowResult result =
        run(
                List.of(new Deviation("DLG-ODD", "model X does so")),
                dialogue("DLG-ODD", HEARS_NOT_WHAT_COMES))
            .getFirst();
    assertEquals(Verdict.DEVIATION, result.verdict());
    assertTrue(result.reason().startsWith("model X does so (at "), result.reason());
  }

  @Test
  void aDeclaredDeviationThatNoLongerDeviatesFails() {
    RowResult result =
        run(List.of(new Deviation("DLG-.*", "model X does so")), dialogue("DLG-FINE", HOLDS))
            .getFirst();
    assertEquals(Verdict.FAIL, result.verdict());
    assertTrue(result.reason().contains("remove it"), result.reason());
  }

  @Test
  void whatTheTargetDoesNotSurviveIsNotHeld() {
    RowResult result =
        run(
                List.of(new Deviation("DLG-DEADLY", "its kernel panics", true)),
                dialogue("DLG-DEADLY", HOLDS))
            .getFirst();
    assertEquals(Verdict.SKIPPED, result.verdict());
    assertEquals("not run: its kernel panics", result.reason());
  }

  @Test
  void aTargetThatIsGoneDeviatesInNothing() {
    List<RowResult> results =
        run(
            List.of(new Deviation("DLG-.*", "model X does so")),
            dialogue("DLG-DEADLY", talk -> goes()),
            dialogue("DLG-NEXT", HEARS_NOT_WHAT_COMES));
    assertEquals(
        List.of(Verdict.FAIL, Verdict.FAIL), results.stream().map(RowResult::verdict).toList());
    assertEquals("the target is gone since DLG-DEADLY", results.getLast().reason());
  }

  /** A thread inside accept may still return a connection that came after the close. */
  @Test
  void aServerThatIsClosedServesNobody() throws Exception {
    for (int i = 0; i < 300; i++) {
      TargetServer closed = new TargetServer(null, 0, "closed", DEVICE, 0);
      InetSocketAddress address = new InetSocketAddress(DEVICE, closed.port());
      Thread.ofPlatform().daemon().start(closed::run);
      new RemoteSubject(address).close();
      closed.close();
      assertThrows(UncheckedIOException.class, () -> new RemoteSubject(address));
    }
  }

  private void goes() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new AssertionError("no answer");
  }

  @Test
  void whatADialogueLeftUnheardIsNotHeardByTheNext() {
    List<Verdict> verdicts =
        run(
                List.of(),
                dialogue("DLG-DEAF", HEARS_NOT_WHAT_COMES),
                dialogue("DLG-NEXT", HOLDS),
                dialogue("DLG-DEAF", HEARS_NOT_WHAT_COMES),
                dialogue("DLG-SILENT", talk -> talk.d.hearsNothing()))
            .stream()
            .map(RowResult::verdict)
            .toList();
    assertEquals(List.of(Verdict.FAIL, Verdict.PASS, Verdict.FAIL, Verdict.PASS), verdicts);
  }
}
