package org.roce4j.emulator.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.engine.trace.RequestNote;
import org.roce4j.verbs.QpState;

class FlightRecorderTraceTest {
  private static final RequestNote POSTED = new RequestNote(17, 3, "SEND", "", 64, 1_000);
  private static final RequestNote POLLED = new RequestNote(18, 4, "RECV", "SUCCESS", 65, 2_000);

  @TempDir private Path directory;

  private final List<String> told = new ArrayList<>();

  /** Gets every call, too. */
  private final EngineTrace next =
      (EngineTrace)
          Proxy.newProxyInstance(
              EngineTrace.class.getClassLoader(),
              new Class<?>[] {EngineTrace.class},
              (self, method, arguments) -> {
                told.add(method.getName() + " " + Arrays.toString(arguments));
                return method.getReturnType() == boolean.class ? false : null;
              });

  private void happen() {
    EngineTrace trace = FlightRecorderTrace.before(next, "roce0", () -> 42);
    trace.stateChanged(17, QpState.RTR, QpState.RTS);
    trace.retransmission(18, 5, Counter.ACK_TIMEOUT);
    trace.dropped(19, 6, Counter.ICRC_ERROR);
    trace.posted(POSTED);
    trace.polled(POLLED);
    trace.requestRefused(20, "full");
    trace.requestFailed(21, null);
    assertEquals(
        List.of(
            "stateChanged [17, RTR, RTS]",
            "retransmission [18, 5, ACK_TIMEOUT]",
            "dropped [19, 6, ICRC_ERROR]",
            "posted [" + POSTED + "]",
            "polled [" + POLLED + "]",
            "requestRefused [20, full]",
            "requestFailed [21, null]"),
        told);
  }

  @Test
  void everyFieldOfEveryEventIsRecorded() throws IOException {
    Path file = directory.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      for (String event :
          List.of("QueuePairState", "Retransmission", "Drop", "WorkRequest", "WorkCompletion")) {
        recording.enable("org.roce4j." + event);
      }
      recording.start();
      happen();
      recording.stop();
      recording.dump(file);
    }
    assertEquals(
        List.of(
            "QueuePairState device=roce0 from=RTR qpNum=17 time=42 to=RTS",
            "Retransmission device=roce0 psn=5 qpNum=18 reason=ack_timeout",
            "Drop device=roce0 psn=6 qpNum=19 reason=icrc_err",
            "WorkRequest bytes=64 device=roce0 operation=SEND qpNum=17 time=1000 wrId=3",
            "WorkCompletion bytes=65 device=roce0 operation=RECV qpNum=18 status=SUCCESS"
                + " time=2000 wrId=4"),
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().startsWith("org.roce4j."))
            .map(FlightRecorderTraceTest::text)
            .toList());
  }

  /** The text of an event without the recorder's own additions. */
  private static String text(RecordedEvent event) {
    String name = event.getEventType().getName().replace("org.roce4j.", "");
    return event.getFields().stream()
        .map(ValueDescriptor::getName)
        .filter(field -> !RECORDERS.contains(field))
        .sorted()
        .map(field -> field + "=" + event.getValue(field))
        .collect(Collectors.joining(" ", name + " ", ""));
  }

  private static final Set<String> RECORDERS =
      Set.of("startTime", "duration", "eventThread", "stackTrace");

  @Test
  void withoutARecordingOnlyTheNextTraceIsTold() {
    happen();
  }
}
