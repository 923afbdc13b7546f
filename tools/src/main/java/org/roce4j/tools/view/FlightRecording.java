package org.roce4j.tools.view;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.view.Recording;

/** Reads the requests and completions of a flight recording. */
final class FlightRecording {
  private static final String REQUEST = "org.roce4j.WorkRequest";
  private static final String COMPLETION = "org.roce4j.WorkCompletion";
  private static final String STATE = "org.roce4j.QueuePairState";

  private FlightRecording() {}

  static boolean isNamed(Path file) {
    return file.toString().endsWith(".jfr");
  }

  /**
   * @throws ToolFailure if it is not a recording or has none of these events
   */
  static Recording read(Path file) {
    List<RecordedEvent> told = new ArrayList<>();
    Set<Integer> made = new HashSet<>();
    try (RecordingFile events = new RecordingFile(file)) {
      while (events.hasMoreEvents()) {
        RecordedEvent event = events.readEvent();
        switch (event.getEventType().getName()) {
          case REQUEST, COMPLETION -> told.add(event);
          case STATE -> {
            made.add(event.getInt("qpNum"));
            if (event.hasField("time")) { // older versions did not record it
              told.add(event);
            }
          }
          default -> {
            // Events of the JDK, and events that packets show anyway.
          }
        }
      }
    } catch (IOException e) {
      throw ToolFailure.usage("cannot read the recording " + file + ": " + e.getMessage());
    }
    if (told.isEmpty()) {
      throw ToolFailure.usage(
          Wording.of(
                  "%s holds no %s, no %s and no %s: they are recorded only where a recording asks"
                      + " for them, see",
                  file, REQUEST, COMPLETION, STATE)
              + " docs/view.md");
    }
    // Events of one virtual moment are ordered by the time of recording.
    told.sort(
        Comparator.<RecordedEvent>comparingLong(event -> event.getLong("time"))
            .thenComparing(RecordedEvent::getStartTime));
    return new Recording(
        file.getFileName().toString(), told.stream().map(FlightRecording::entry).toList(), made);
  }

  private static Recording.Entry entry(RecordedEvent event) {
    return event.getEventType().getName().equals(STATE)
        ? new Recording.StateChange(
            event.getLong("time"),
            event.getInt("qpNum"),
            event.getString("from"),
            event.getString("to"))
        : request(event);
  }

  private static Recording.Request request(RecordedEvent event) {
    boolean posted = event.getEventType().getName().equals(REQUEST);
    String status = posted ? "" : event.getString("status");
    return new Recording.Request(
        event.getLong("time"),
        event.getInt("qpNum"),
        event.getLong("wrId"),
        event.getString("operation"),
        status,
        event.getLong("bytes"));
  }
}
