package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;

/** Each operation of each service, posted or built. */
class SendRuleTest {
  @ParameterizedTest
  @CsvSource({
    "RC, SEND SEND_WITH_IMM SEND_WITH_INV RDMA_WRITE RDMA_WRITE_WITH_IMM RDMA_READ"
        + " ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD BIND_MW LOCAL_INV ATOMIC_WRITE FLUSH",
    "UC, SEND SEND_WITH_IMM RDMA_WRITE RDMA_WRITE_WITH_IMM BIND_MW LOCAL_INV",
    "UD, SEND SEND_WITH_IMM",
    "XRC_SEND, SEND SEND_WITH_IMM SEND_WITH_INV RDMA_WRITE RDMA_WRITE_WITH_IMM RDMA_READ"
        + " ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD BIND_MW LOCAL_INV",
    "XRC_RECV, ''"
  })
  void aServiceHasItsOperationsAndNoOther(QpType type, String operations) {
    Set<WrOpcode> its =
        Arrays.stream(operations.split(" "))
            .filter(name -> !name.isEmpty())
            .map(WrOpcode::valueOf)
            .collect(Collectors.toSet());
    for (WrOpcode opcode : WrOpcode.values()) {
      assertEquals(its.contains(opcode), SendRule.supported(opcode, type), opcode::name);
      long built = SendOpsFlags.of(opcode);
      if (its.contains(opcode)) {
        assertDoesNotThrow(() -> QueuePairChecks.checkSendOps(built, type), opcode::name);
      } else if (built != 0) {
        VerbsException e =
            assertThrows(
                VerbsException.class,
                () -> QueuePairChecks.checkSendOps(built, type),
                opcode::name);
        assertEquals(Errno.EOPNOTSUPP, e.errno());
      }
    }
  }

  /** It waits for one of {@code max_rd_atomic} turns, and would wait for ever if there are none. */
  @ParameterizedTest
  @EnumSource
  void whatHasAnAnswerOfItsOwnNeedsADepthOfReads(WrOpcode opcode) {
    boolean answered =
        switch (opcode) {
          case RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, ATOMIC_WRITE, FLUSH -> true;
          default -> false;
        };
    SendQueue queue = new SendQueue(1, 1, 0, null);
    SendRule broken = SendRule.brokenByData(0, queue, opcode, 0, 8, 0);
    assertEquals(answered ? SendRule.ANSWERED : null, broken);
    assertNull(SendRule.brokenByData(1, queue, opcode, 0, 8, 0));
  }
}
