package org.roce4j.engine.responder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.wire.Opcode;

/** A request taken from a receive queue is the same from an own queue and a shared one. */
class HeldReceiveTest {
  private static final int MOST_SGE = 4;

  enum Kind {
    OWN,
    SHARED,
    XRC
  }

  private record Source(ReceiveQueue queue, Domain domain, boolean shared, int[] taken)
      implements ReceiveSource {
    @Override
    public void taken(int byQp) {
      taken[0]++;
    }
  }

  private record Xrc(ReceiveQueue queue, Domain domain, int[] takenBy) implements XrcReceiver {
    @Override
    public void taken(int byQp) {
      takenBy[0]++;
    }

    @Override
    public int srqNumber() {
      return 1;
    }

    @Override
    public XrcScope scope() {
      return null;
    }

    @Override
    public Accessor accessor() {
      return new Accessor(domain);
    }

    @Override
    public CompletionRing completions() {
      return null;
    }

    @Override
    public boolean failed() {
      return false;
    }
  }

  private final ReceiveQueue queue = new ReceiveQueue(4, MOST_SGE);
  private final int[] taken = new int[1];

  private HeldReceive receive(Kind kind) {
    Domain domain = new Domain();
    ReceiveSource source =
        kind == Kind.XRC
            ? new Xrc(queue, domain, taken)
            : new Source(queue, domain, kind == Kind.SHARED, taken);
    KeyTable keys = new KeyTable(new SplittableRandom(1), 4, 4);
    Accessor accessor = new Accessor(domain);
    return new HeldReceive(
        new ReceiveSide(17, source, null, keys, accessor, null, null, null, null, null), MOST_SGE);
  }

  private void post(long wrId, int... lengths) {
    RecvRequestList list = new RecvRequestList(Arena.ofAuto(), 1, MOST_SGE).add().wrId(wrId);
    for (int length : lengths) {
      list.sge(0x1000, length, 5);
    }
    queue.fill(queue.claim(), list.memory(), 0);
    queue.filled();
    queue.publish();
  }

  @ParameterizedTest
  @EnumSource
  void itHoldsWhatItsElementsHoldUpToTheLongestMessage(Kind kind) {
    int most = Integer.MAX_VALUE;
    int[][] posted = {{}, {1}, {most}, {most, 1}, {most, 2}, {most, most, most, most}};
    for (int[] lengths : posted) {
      HeldReceive receive = receive(kind);
      post(7, lengths);
      assertTrue(receive.take());
      long total = 0;
      for (int each : lengths) {
        total += each;
      }
      assertEquals(Math.min(total, Opcode.MOST_MESSAGE_BYTES), receive.capacity());
      assertEquals(7, receive.wrId());
      assertTrue(receive.isHeld());
      receive.release();
      assertFalse(receive.isHeld());
      assertTrue(queue.isEmpty());
    }
    assertEquals(kind == Kind.OWN ? 0 : posted.length, taken[0], "told to the shared queue");
  }

  @ParameterizedTest
  @EnumSource
  void anEmptyQueueGivesNone(Kind kind) {
    HeldReceive receive = receive(kind);
    assertFalse(receive.take());
    assertFalse(receive.isHeld());
    assertEquals(0, taken[0]);
  }
}
