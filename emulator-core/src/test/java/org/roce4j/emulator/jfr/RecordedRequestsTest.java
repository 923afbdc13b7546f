package org.roce4j.emulator.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/**
 * A recording that asks for them holds each request and completion, for every way to post and to
 * poll.
 */
class RecordedRequestsTest {
  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final WorkCompletions completions = new WorkCompletions(8);

  @TempDir private Path directory;
  private AddressHandle nobody;
  private QueuePair qp;
  private CompletionQueue cq;

  private void traffic(boolean extended) {
    Context context = devices.device(extended ? "roce1" : "roce0", address(extended)).open();
    ProtectionDomain pd = context.allocPd();
    cq = extended ? context.createCqEx(new CqInitAttr().cqe(16)) : context.createCq(16);
    qp =
        pd.createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .cq(cq)
                .sqSigAll(true)
                .sendOps(SendOpsFlags.WITH_SEND)
                .cap(new QpCapabilities(8, 8, 1, 1, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes());
    nobody =
        pd.createAh(
            new AhAttr(true, new GlobalRoute(Gid.parse("10.0.0.9"), 0, 0, 64, 0), 0, 0, 0, 0, 1));
    devices.fabric().run(1_000);
    post();
    poll(extended);
  }

  private static Gid address(boolean extended) {
    return Gid.parse(extended ? "10.0.0.2" : "10.0.0.1");
  }

  private void post() {
    try (RecvRequestList receives = new RecvRequestList(1, 1);
        SendRequestList sends = new SendRequestList(2, 1, 0)) {
      receives.add().wrId(1);
      assertEquals(0, qp.postRecv(receives));
      for (int id = 2; id <= 3; id++) {
        sends.add().wrId(id).opcode(WrOpcode.SEND).ud(nobody, 17, 18);
      }
      assertEquals(0, qp.postSend(sends));
    }
    WorkRequestBuilder wr = qp.builder();
    wr.start();
    wr.wrId(4).send().setUdAddress(nobody, 17, 18);
    assertEquals(0, wr.complete());
    wr.start();
    wr.wrId(5).send();
    wr.abort();
    devices.fabric().run(1_000);
  }

  private void poll(boolean extended) {
    if (cq instanceof ExtendedCompletionQueue fields && extended) {
      assertEquals(0, fields.startPoll());
      assertEquals(0, fields.nextPoll());
      assertEquals(0, fields.nextPoll());
      fields.endPoll();
    } else {
      assertEquals(3, cq.poll(completions));
    }
  }

  @Test
  void everyWayIsRecorded() throws IOException {
    Path file = directory.resolve("requests.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("org.roce4j.WorkRequest");
      recording.enable("org.roce4j.WorkCompletion");
      recording.start();
      traffic(false);
      traffic(true);
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = requests(file);
    for (String device : List.of("roce0", "roce1")) {
      assertEquals(
          List.of(
              "posted RECV 1",
              "posted SEND 2",
              "posted SEND 3",
              "posted SEND 4",
              "polled SEND 2 SUCCESS",
              "polled SEND 3 SUCCESS",
              "polled SEND 4 SUCCESS"),
          events.stream()
              .filter(event -> event.getString("device").equals(device))
              .map(RecordedRequestsTest::told)
              .toList());
    }
    RecordedEvent first = events.getFirst();
    assertEquals(1_000, first.getLong("time"), "virtual time");
  }

  private static String told(RecordedEvent event) {
    boolean posted = event.getEventType().getName().endsWith("WorkRequest");
    return "%s %s %d%s"
        .formatted(
            posted ? "posted" : "polled",
            event.getString("operation"),
            event.getLong("wrId"),
            posted ? "" : " " + event.getString("status"));
  }

  @ParameterizedTest
  @CsvSource({"WorkRequest, posted RECV 1", "WorkCompletion, polled SEND 2 SUCCESS"})
  void eachOfTheTwoIsRecordedAlone(String event, String first) throws IOException {
    Path file = directory.resolve("alone.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("org.roce4j." + event);
      recording.start();
      traffic(false);
      recording.stop();
      recording.dump(file);
    }
    assertEquals(first, told(requests(file).getFirst()));
  }

  @Test
  void aRecordingThatDoesNotAskHasNone() throws IOException {
    Path file = directory.resolve("states.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("org.roce4j.QueuePairState");
      recording.start();
      traffic(false);
      recording.stop();
      recording.dump(file);
    }
    assertEquals(List.of(), requests(file));
  }

  /** Requests and completions in the order in which they happened. */
  private static List<RecordedEvent> requests(Path file) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().startsWith("org.roce4j.Work"))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .toList();
  }
}
