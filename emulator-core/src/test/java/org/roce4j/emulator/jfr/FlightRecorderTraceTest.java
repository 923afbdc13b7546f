package org.roce4j.emulator.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QpState;

class FlightRecorderTraceTest {
  /** Remembers that it was told, too. */
  private static final class Listener implements EngineTrace {
    final List<String> told = new ArrayList<>();

    @Override
    public void stateChanged(int qpNum, QpState from, QpState to) {
      told.add(from + ">" + to);
    }

    @Override
    public void retransmission(int qpNum, int psn, Counter reason) {
      told.add("again");
    }

    @Override
    public void dropped(int qpNum, int psn, Counter reason) {
      told.add("dropped");
    }
  }

  private static void happen(EngineTrace trace) {
    trace.stateChanged(17, QpState.RTR, QpState.RTS);
    trace.retransmission(17, 5, Counter.ACK_TIMEOUT);
    trace.dropped(-1, -1, Counter.ICRC_ERROR);
  }

  @Test
  void recordedEventsNameDeviceQueuePairAndReason(@TempDir Path directory) throws IOException {
    Listener listener = new Listener();
    Path file = directory.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      for (String event : new String[] {"QueuePairState", "Retransmission", "Drop"}) {
        recording.enable("org.roce4j." + event);
      }
      recording.start();
      happen(FlightRecorderTrace.before(listener, "roce0", () -> 42));
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().startsWith("org.roce4j."))
            .toList();
    assertEquals(3, events.size(), events::toString);
    assertTrue(events.stream().allMatch(event -> event.getString("device").equals("roce0")));
    RecordedEvent state = events.get(0);
    assertEquals(17, state.getInt("qpNum"));
    assertEquals(42, state.getLong("time"));
    assertEquals("RTR RTS", state.getString("from") + " " + state.getString("to"));
    assertEquals("ack_timeout", events.get(1).getString("reason"));
    assertEquals(5, events.get(1).getInt("psn"));
    assertEquals("icrc_err", events.get(2).getString("reason"));
    assertEquals(List.of("RTR>RTS", "again", "dropped"), listener.told);
  }

  @Test
  void withoutARecordingOnlyTheNextTraceIsTold() {
    Listener listener = new Listener();
    happen(FlightRecorderTrace.before(listener, "roce0", () -> 42));
    assertEquals(List.of("RTR>RTS", "again", "dropped"), listener.told);
  }
}
