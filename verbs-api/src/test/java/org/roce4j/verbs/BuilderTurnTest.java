package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
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

  private static final long OPERATIONS =
      SendOpsFlags.WITH_SEND | SendOpsFlags.WITH_ATOMIC_WRITE | SendOpsFlags.WITH_RDMA_WRITE;

  private final BuilderTurn turn = new BuilderTurn(QpType.RC, OPERATIONS);
  private final QueuePair qp =
      (QueuePair)
          Proxy.newProxyInstance(
              BuilderTurnTest.class.getClassLoader(),
              new Class<?>[] {QueuePair.class},
              (self, method, args) -> "QP 5");

  /** DRIVER1 is another device's. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"DRIVER1"})
  void eachOperationHasTheFlagOfItsName(WrOpcode operation) {
    assertEquals("WITH_" + operation, SendOpsFlags.toString(SendOpsFlags.of(operation)));
  }

  @Test
  void onAConnectionNoRequestHasADestinationOfItsOwn() {
    for (QpType of : List.of(QpType.UD, QpType.XRC_SEND)) {
      turn.start();
      turn.request(WrOpcode.SEND, 1);
      assertFalse(turn.address(of));
      assertEquals(Errno.EINVAL.number(), turn.errno());
      turn.end();
    }
  }

  @Test
  void aBatchHasNothingOfTheOneBefore() {
    turn.start();
    assertTrue(turn.request(WrOpcode.SEND, 7));
    assertTrue(turn.request(WrOpcode.SEND, 8));
    turn.refuse(Errno.ENOMEM, "first");
    turn.refuse(Errno.EINVAL, "second");
    turn.refuseBatch(Errno.EIO.number(), "third");
    assertEquals(Errno.ENOMEM.number(), turn.errno());
    assertEquals("QP 5, request 1 (wr_id 8, SEND): first", turn.describe(qp));
    assertFalse(turn.request(WrOpcode.SEND, 9), "a refused batch takes no request");
    assertEquals("QP 5, request 1 (wr_id 8, SEND): first", turn.describe(qp));
    turn.end();
    assertTrue(turn.refused(), "still to be read");
    turn.start();
    assertFalse(turn.refused());
    assertEquals("", turn.describe(qp));
    assertFalse(turn.adds(), "no request was begun");
    assertEquals(Errno.EINVAL.number(), turn.errno());
    assertTrue(turn.describe(qp).startsWith("QP 5, the batch: there is no request"));
    turn.abort();
    assertFalse(turn.refused());
    turn.start();
    assertTrue(turn.request(WrOpcode.RDMA_WRITE, 1));
    turn.refuse(Errno.EINVAL, "wrong");
    assertEquals("QP 5, request 0 (wr_id 1, RDMA_WRITE): wrong", turn.describe(qp));
    turn.abort();
  }

  @Test
  void aBatchIsRefusedAsAWhole() {
    turn.start();
    turn.request(WrOpcode.SEND, 7);
    turn.refuseBatch(Errno.EIO.number(), "the device is gone");
    assertEquals("QP 5, the batch: the device is gone", turn.describe(qp));
    assertEquals(Errno.EIO.number(), turn.errno());
    turn.abort();
  }

  @Test
  void anOperationThatTheQueuePairWasNotMadeForIsRefused() {
    turn.start();
    assertFalse(turn.request(WrOpcode.RDMA_READ, 7));
    assertEquals(Errno.EOPNOTSUPP.number(), turn.errno());
    turn.abort();
  }

  @Test
  void dataBelongsToARequestThatDoesNotNameItsOwn() {
    turn.start();
    assertFalse(turn.data());
    turn.abort();
    turn.start();
    turn.request(WrOpcode.SEND, 1);
    assertTrue(turn.adds());
    assertTrue(turn.data());
    turn.request(WrOpcode.ATOMIC_WRITE, 2);
    assertTrue(turn.adds());
    assertFalse(turn.data());
    assertEquals(Errno.EINVAL.number(), turn.errno());
    assertFalse(turn.adds());
    turn.abort();
  }

  @Test
  void anAddressIsForATypeOfQueuePair() {
    for (QpType of : List.of(QpType.UD, QpType.XRC_SEND)) {
      turn.start();
      turn.request(WrOpcode.SEND, 1);
      assertFalse(turn.address(of));
      String words = turn.describe(qp);
      assertTrue(words.contains(of == QpType.UD ? "only datagrams" : "only requests of an"), words);
      turn.abort();
      BuilderTurn own = new BuilderTurn(of, OPERATIONS);
      own.start();
      own.finishRequest();
      assertFalse(own.refused(), "nothing was begun");
      own.request(WrOpcode.SEND, 1);
      assertTrue(own.address(of));
      own.finishRequest();
      own.request(WrOpcode.SEND, 2);
      own.finishRequest();
      words = own.describe(qp);
      String needed = of == QpType.UD ? "a datagram needs" : "an XRC request needs";
      assertTrue(words.startsWith("QP 5, request 1 (wr_id 2, SEND): " + needed), words);
      assertFalse(own.address(of), "the batch is refused");
      own.end();
    }
  }

  @Test
  void aThreadHasOneTurn() {
    refused(Errno.EINVAL, turn::check);
    turn.start();
    turn.check();
    refused(Errno.EINVAL, turn::start);
    turn.end();
    refused(Errno.EINVAL, turn::check);
  }
}
