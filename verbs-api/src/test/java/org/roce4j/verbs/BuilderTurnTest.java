package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the builder of a queue pair of each type asks of a request. */
class BuilderTurnTest {
  /** A datagram needs an address, an XRC request a queue; what goes nowhere needs neither. */
  @ParameterizedTest
  @EnumSource
  void onlyARequestThatGoesSomewhereNeedsADestination(QpType type) {
    for (WrOpcode operation : WrOpcode.values()) {
      if (SendOpsFlags.of(operation) == 0) {
        continue; // no builder makes it
      }
      BuilderTurn turn = new BuilderTurn(type, SendOpsFlags.of(operation));
      boolean stays = operation == WrOpcode.BIND_MW || operation == WrOpcode.LOCAL_INV;
      boolean needs = !stays && (type == QpType.UD || type == QpType.XRC_SEND);
      turn.start();
      turn.request(operation, 1);
      turn.finishRequest();
      assertEquals(needs ? Errno.EINVAL.number() : 0, turn.errno(), operation::toString);
      turn.end();
      if (needs) {
        turn.start();
        turn.request(operation, 2);
        turn.address(type);
        turn.finishRequest();
        assertEquals(0, turn.errno(), operation::toString);
        turn.end();
      }
    }
  }
}
