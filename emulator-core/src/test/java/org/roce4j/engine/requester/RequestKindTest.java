package org.roce4j.engine.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.WrOpcode;

/** The kind of each work request. */
class RequestKindTest {
  @Test
  void sortsOperationsByWhoAnswersThem() {
    EnumSet<WrOpcode> answered = EnumSet.noneOf(WrOpcode.class);
    EnumSet<WrOpcode> local = EnumSet.noneOf(WrOpcode.class);
    for (WrOpcode opcode : WrOpcode.values()) {
      if (RequestKind.of(opcode).needsResponse()) {
        answered.add(opcode);
      }
      if (RequestKind.of(opcode) == RequestKind.LOCAL) {
        local.add(opcode);
      }
    }
    assertEquals(
        EnumSet.of(
            WrOpcode.RDMA_READ,
            WrOpcode.ATOMIC_CMP_AND_SWP,
            WrOpcode.ATOMIC_FETCH_AND_ADD,
            WrOpcode.FLUSH,
            WrOpcode.ATOMIC_WRITE),
        answered);
    assertEquals(EnumSet.of(WrOpcode.LOCAL_INV, WrOpcode.BIND_MW), local);
  }
}
