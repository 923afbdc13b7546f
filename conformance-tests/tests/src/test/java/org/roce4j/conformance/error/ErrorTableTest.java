package org.roce4j.conformance.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.WcStatus;

class ErrorTableTest {
  private static final Path DOCUMENT = Path.of("..", "..", "docs", "errors.md");

  @Test
  void theDocumentIsWhatTheTableSays() throws IOException {
    assertEquals(
        ErrorDocument.markdown(),
        Files.readString(DOCUMENT),
        "./roce4j conformance --error-table > docs/errors.md");
  }

  @Test
  void everyChapterHasRowsInOnePlace() {
    assertEquals(
        Arrays.asList(Chapter.values()),
        ErrorTable.cases().stream().map(ErrorCase::chapter).distinct().toList());
    assertEquals(
        Stream.of(Chapter.values()).toList(),
        ErrorTable.cases().stream().map(ErrorCase::chapter).sorted().distinct().toList());
  }

  @Test
  void countersAreOnesThatThereAre() {
    Set<String> labels =
        Stream.of(Counter.values()).map(Counter::label).collect(Collectors.toSet());
    sides()
        .flatMap(side -> side.counters().stream())
        .forEach(label -> assertTrue(labels.contains(label), label));
  }

  /** Each status and event that a device can produce has a row that provokes it. */
  @Test
  void everyStatusAndEventOfTheDevicesHasARow() {
    Set<WcStatus> statuses = EnumSet.noneOf(WcStatus.class);
    sides().map(ErrorOutcome::status).filter(status -> status != null).forEach(statuses::add);
    assertEquals(
        EnumSet.of(
            WcStatus.SUCCESS,
            WcStatus.LOC_LEN_ERR,
            WcStatus.LOC_QP_OP_ERR,
            WcStatus.LOC_PROT_ERR,
            WcStatus.WR_FLUSH_ERR,
            WcStatus.MW_BIND_ERR,
            WcStatus.BAD_RESP_ERR,
            WcStatus.REM_INV_REQ_ERR,
            WcStatus.REM_ACCESS_ERR,
            WcStatus.REM_OP_ERR,
            WcStatus.RETRY_EXC_ERR,
            WcStatus.RNR_RETRY_EXC_ERR),
        statuses);
    Set<EventType> events = EnumSet.noneOf(EventType.class);
    sides().flatMap(side -> side.events().stream()).forEach(events::add);
    assertEquals(
        EnumSet.of(
            EventType.CQ_ERR,
            EventType.QP_FATAL,
            EventType.QP_REQ_ERR,
            EventType.QP_ACCESS_ERR,
            EventType.COMM_EST,
            EventType.PORT_ACTIVE,
            EventType.PORT_ERR,
            EventType.SRQ_LIMIT_REACHED,
            EventType.QP_LAST_WQE_REACHED,
            EventType.GID_CHANGE),
        events);
  }

  private static Stream<ErrorOutcome> sides() {
    return ErrorTable.cases().stream()
        .flatMap(error -> Stream.of(error.requester(), error.responder()));
  }
}
