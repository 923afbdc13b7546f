package org.roce4j.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;

/** The least and the greatest value of each number reach C. The values beyond them do not. */
@EnabledOnOs(OS.LINUX)
class EveryBoundTest extends WholeDriverFixture {
  private static final long NONE = Integer.MAX_VALUE;

  /** A number that a verb takes: the function that gets it, and its bounds. */
  enum Bound {
    PORT("query_port", Errno.EINVAL, 1, 255, (test, n) -> test.context.queryPort((int) n)),
    GID_PORT("_ibv_query_gid_ex", Errno.EINVAL, 1, 255, (test, n) -> test.gid((int) n, 0)),
    GID_INDEX("_ibv_query_gid_ex", Errno.EINVAL, 0, NONE, (test, n) -> test.gid(1, (int) n)),
    PKEY_PORT("ibv_query_pkey", Errno.EINVAL, 1, 255, (test, n) -> test.pkey((int) n, 0)),
    PKEY_INDEX(
        "ibv_query_pkey", Errno.EINVAL, 0, TABLE_LENGTH - 1, (test, n) -> test.pkey(1, (int) n)),
    CQE("ibv_create_cq", Errno.EINVAL, 1, NONE, (test, n) -> test.context.createCq((int) n)),
    TYPICAL_PACKET(
        "modify_qp_rate_limit",
        Errno.EINVAL,
        0,
        0xffff,
        (test, n) -> test.queuePair(QpType.RC).modifyRateLimit(new QpRateLimitAttr(1, 0, (int) n))),
    DM_LENGTH("alloc_dm", Errno.EINVAL, 1, NONE, (test, n) -> test.context.allocDm(n, 0)),
    DM_ALIGNMENT("alloc_dm", Errno.EINVAL, 0, NONE, (test, n) -> test.context.allocDm(1, (int) n)),
    TO_DM(
        "memcpy_to_dm",
        Errno.EFAULT,
        0,
        DM_BYTES - 8,
        (test, n) -> test.dm.copyTo(n, test.arena.allocate(8))),
    WHOLE_TO_DM(
        "memcpy_to_dm",
        Errno.EFAULT,
        0,
        0,
        (test, n) -> test.dm.copyTo(n, test.arena.allocate(DM_BYTES))),
    FROM_DM(
        "memcpy_from_dm",
        Errno.EFAULT,
        0,
        DM_BYTES - 8,
        (test, n) -> test.dm.copyFrom(test.arena.allocate(8), n));

    private final String function;
    private final Errno errno;
    private final long first;
    private final long last;
    private final ObjLongConsumer<EveryBoundTest> verb;

    Bound(
        String function, Errno errno, long first, long last, ObjLongConsumer<EveryBoundTest> verb) {
      this.function = function;
      this.errno = errno;
      this.first = first;
      this.last = last;
      this.verb = verb;
    }
  }

  private void gid(int port, int index) {
    assertEquals(context.queryGid(port, index), context.queryGidEx(port, index).gid());
  }

  private void pkey(int port, int index) {
    assertEquals(0, context.queryPkey(port, index));
  }

  @ParameterizedTest
  @EnumSource
  void isAskedWithInBoundsAndNeverBeyond(Bound bound) {
    for (long inside : new long[] {bound.first, bound.last}) {
      c.calls.clear();
      bound.verb.accept(this, inside);
      assertTrue(c.calls.contains(bound.function), () -> inside + ": " + c.calls);
    }
    for (long outside : new long[] {bound.first - 1, bound.last + 1}) {
      c.calls.clear();
      boolean hasLast = outside < NONE;
      if (hasLast) {
        VerbsException e =
            assertThrows(VerbsException.class, () -> bound.verb.accept(this, outside));
        assertEquals(bound.errno, e.errno());
        assertFalse(c.calls.contains(bound.function), () -> outside + ": " + c.calls);
      }
    }
  }

  /** A driver may use a queue without checking that the queue pair has it. */
  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "UD", "XRC_SEND", "XRC_RECV"})
  void aQueueThatAQueuePairLacksIsNotAskedOfTheDriver(QpType type) {
    QueuePair qp = queuePair(type);
    SendRequestList sends = new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND);
    RecvRequestList receives = new RecvRequestList(arena, 1, 1).add();
    c.calls.clear();
    long sent = qp.postSend(sends.memory(), sends.address());
    long received = qp.postRecv(receives.memory(), receives.address());
    boolean sender = type != QpType.XRC_RECV;
    boolean receiver = sender && type != QpType.XRC_SEND;
    assertEquals(sender, sent == PostResult.OK);
    assertEquals(receiver, received == PostResult.OK);
    assertEquals(
        List.of(sender, receiver),
        List.of(c.calls.contains("post_send"), c.calls.contains("post_recv")));
  }
}
