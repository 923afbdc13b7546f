package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.RejectReason;
import org.roce4j.verbs.cm.SidrStatus;

class ExplanationTest {
  private static final Map<String, Integer> SYNDROMES =
      Map.of(
          "ACK", 0x1f,
          "RNR_NAK", 0x20,
          "NAK_PSN_SEQUENCE_ERROR", 0x60,
          "NAK_INVALID_REQUEST", 0x61,
          "NAK_REMOTE_ACCESS_ERROR", 0x62,
          "NAK_REMOTE_OPERATIONAL_ERROR", 0x63,
          "NAK_INVALID_RD_REQUEST", 0x64,
          "RESERVED_SYNDROME", 0x40);

  private static Map<String, Integer> names(String kind) {
    Map<String, Integer> names = new LinkedHashMap<>();
    for (Explanation row : Explanation.all()) {
      if (row.kind().equals(kind)) {
        names.put(row.name(), row.number());
      }
    }
    return names;
  }

  private static <E extends Enum<E>> Map<String, Integer> constants(
      E[] values, ToIntFunction<E> number) {
    Map<String, Integer> constants = new LinkedHashMap<>();
    for (E each : values) {
      constants.put(each.name(), number.applyAsInt(each));
    }
    return constants;
  }

  @Test
  void everyConstantHasARowWithItsNumber() {
    Map<String, Map<String, Integer>> all =
        Map.of(
            "status", constants(WcStatus.values(), WcStatus::value),
            "state", constants(QpState.values(), QpState::value),
            "event", constants(EventType.values(), EventType::value),
            "cm-event", constants(CmEventType.values(), CmEventType::value),
            "reject", constants(RejectReason.values(), RejectReason::value),
            "sidr", constants(SidrStatus.values(), SidrStatus::value),
            "syndrome", SYNDROMES);
    all.forEach((kind, constants) -> assertEquals(constants, names(kind), kind));
    assertEquals(
        constants(WcStatus.values(), WcStatus::value).keySet().stream().toList(),
        names("status").keySet().stream().toList());
    Map<String, Integer> errnos = constants(Errno.values(), Errno::number);
    assertTrue(errnos.entrySet().containsAll(names("errno").entrySet()));
    assertEquals(
        Explanation.all().size(),
        names("errno").size() + all.values().stream().mapToInt(Map::size).sum());
  }

  @Test
  void everyCellSaysSomethingAndEndsWithoutAFullStop() {
    for (Explanation row : Explanation.all()) {
      for (String cell : List.of(row.meaning(), row.causes(), row.look())) {
        assertFalse(cell.isBlank() || cell.endsWith(".") || cell.contains("|"), row::toString);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "REM_ACCESS_ERR, status REM_ACCESS_ERR",
    "rem_access_err, status REM_ACCESS_ERR",
    "IBV_WC_REM_ACCESS_ERR, status REM_ACCESS_ERR",
    "remote access error, status REM_ACCESS_ERR",
    "RNR retry counter exceeded, status RNR_RETRY_EXC_ERR",
    "IBV_QPS_RTR, state RTR",
    "RDMA_CM_EVENT_REJECTED, cm-event REJECTED",
    "IB_CM_REJ_CONSUMER_DEFINED, reject CONSUMER_DEFINED",
    "consumer defined, reject CONSUMER_DEFINED",
    "IB_SIDR_REJECT, sidr REJECT",
    "SUCCESS, status SUCCESS + sidr SUCCESS",
    "CQ error, event CQ_ERR",
    "Connection timed out, errno ETIMEDOUT",
    "-110, errno ETIMEDOUT",
    "110, errno ETIMEDOUT",
    "EEXIST, errno EEXIST",
    "' 13 ', status RNR_RETRY_EXC_ERR + event SM_CHANGE + errno EACCES + cm-event MULTICAST_ERROR +"
        + " reject INVALID_LID",
    "NAK PSN sequence error, syndrome NAK_PSN_SEQUENCE_ERROR",
    "RNR NAK wait 0.64 ms, syndrome RNR_NAK",
    "0x00, syndrome ACK",
    "0x1F, syndrome ACK",
    "0x20, syndrome RNR_NAK",
    "0x3f, syndrome RNR_NAK",
    "0x5f, syndrome RESERVED_SYNDROME",
    "0x60, syndrome NAK_PSN_SEQUENCE_ERROR",
    "0x62, syndrome NAK_REMOTE_ACCESS_ERROR",
    "0x65, syndrome RESERVED_SYNDROME",
    "0xff, syndrome RESERVED_SYNDROME",
    "NO_SUCH_NAME, ''",
    "'', ''",
  })
  void areFoundAsPeopleWriteThem(String written, String found) {
    assertEquals(
        found,
        Explanation.find(written).stream()
            .map(row -> row.kind() + " " + row.name())
            .collect(Collectors.joining(" + ")));
  }

  @Test
  void anErrnoThatNoVerbGivesHasTheTextOfStrerror() {
    assertEquals("Argument list too long", Explanation.find("E2BIG").getFirst().meaning());
  }
}
