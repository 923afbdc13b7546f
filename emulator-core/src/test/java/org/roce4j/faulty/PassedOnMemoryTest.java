package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.WcLayout;

/** A plan reads and writes the memory of completions and requests as the backend would. */
class PassedOnMemoryTest extends PlannedDevice {
  /** In whatever order the rules stand; of two for one request the first. */
  @ParameterizedTest
  @CsvSource({
    "refuse=EIO index=2; refuse=ENOMEM index=1, ENOMEM, 1",
    "refuse=ENOMEM index=1; refuse=EIO index=2, ENOMEM, 1",
    "refuse=ENOMEM index=1; refuse=EIO index=1, ENOMEM, 1",
    "refuse=EIO index=1; refuse=ENOMEM, ENOMEM, 0",
  })
  void theFirstRequestThatARuleRefusesIsTheOneThatIsTold(String rules, Errno errno, int index) {
    open(
        rules
            .replace("refuse=ENOMEM", "refuse=ENOMEM call=postRecv")
            .replace("refuse=EIO", "refuse=EIO call=postRecv"));
    try (RecvRequestList list = new RecvRequestList(3, 1)) {
      for (int i = 0; i < 3; i++) {
        list.add().wrId(i);
      }
      assertEquals(errno.number(), qp.postRecv(list));
      assertEquals(index, list.badIndex());
    }
  }

  @Test
  void aListInNoMemoryIsRefusedAsWithoutARule() {
    open("refuse=ENOMEM call=postSend index=1; refuse=ENOMEM call=postRecv index=1");
    MemorySegment missing = null;
    refused(Errno.EINVAL, () -> qp.postSend(missing, 8));
    refused(Errno.EINVAL, () -> qp.postRecv(missing, 8));
  }

  /** Its requests are linked as before, and can be posted again. */
  @Test
  void aListThatWasRefusedWithinItselfIsWhole() {
    open("refuse=ENOMEM call=postRecv index=2 times=1");
    qp.modify(new QpAttr().qpState(QpState.ERR));
    try (RecvRequestList list = new RecvRequestList(3, 1);
        WorkCompletions all = new WorkCompletions(8)) {
      for (int i = 0; i < 3; i++) {
        list.add().wrId(i);
      }
      assertEquals(Errno.ENOMEM.number(), qp.postRecv(list));
      assertEquals(2, cq.poll(all));
      assertEquals(0, qp.postRecv(list));
      assertEquals(3, cq.poll(all));
      assertEquals(List.of(0L, 1L, 2L), List.of(all.wrId(0), all.wrId(1), all.wrId(2)));
    }
  }

  @Test
  void aListWhosePostingThrowsIsWhole() {
    openFailing("postRecv", "refuse=ENOMEM call=postRecv index=1");
    try (RecvRequestList list = new RecvRequestList(2, 1)) {
      list.add().wrId(1);
      list.add().wrId(2);
      long at = list.address() - list.memory().address();
      long next = RecvWrLayout.next(list.memory(), at);
      assertThrows(IllegalStateException.class, () -> qp.postRecv(list.memory(), list.address()));
      assertEquals(next, RecvWrLayout.next(list.memory(), at));
    }
  }

  /** The call at which it fails, and a call behind that. */
  @ParameterizedTest
  @ValueSource(strings = {"postRecv", "queryPort"})
  void aDeviceThatHasFailedTakesNoRequestOfAList(String call) {
    open("device-fatal nth=1 call=" + call);
    if (call.equals("queryPort")) {
      refused(Errno.EIO, () -> context.queryPort(1));
    }
    try (RecvRequestList list = new RecvRequestList(2, 1)) {
      list.add().wrId(1);
      list.add().wrId(2);
      assertEquals(PostResult.of(Errno.EIO, 0), qp.postRecv(list.memory(), list.address()));
    }
  }

  /** A call is refused whatever its arguments are. */
  @Test
  void aListThatCannotBeReadIsRefusedByTheFirstRule() {
    open("refuse=ENOMEM call=postRecv nth=1");
    assertEquals(PostResult.of(Errno.ENOMEM, 0), qp.postRecv(null, 0));
  }

  /** The rule means a request behind it. */
  @Test
  void aRequestThatTheBackendRefusesIsTheOneThatIsTold() {
    open("refuse=EIO call=postRecv index=39");
    try (RecvRequestList list = new RecvRequestList(40, 1)) {
      for (int i = 0; i < 40; i++) {
        list.add().wrId(i);
      }
      VerbsException e = refused(Errno.ENOMEM, () -> qp.postRecvOrThrow(list));
      assertFalse(e.remedy().contains("a plan of faults"), e.remedy());
    }
  }

  private Stream<MemorySegment> wrongMemory() {
    Arena closed = Arena.ofShared();
    MemorySegment gone = closed.allocate(256, 8);
    closed.close();
    return Stream.of(
        null, MemorySegment.ofArray(new long[64]), gone, arena.allocate(256, 8).asReadOnly());
  }

  /** It is not lost by a poll that had no room for it. */
  @Test
  void aLateCompletionWaitsForMemoryThatCanHoldIt() {
    open("late=1ms nth=1");
    flush(qp, 1);
    assertEquals(0, cq.poll(completions));
    devices.fabric().run(1_000_000);
    MemorySegment small = arena.allocate(WcLayout.SIZE - 8L, 8);
    assertNotEquals("1", outcome(() -> cq.poll(small, small.address(), 1)));
    wrongMemory()
        .forEach(
            memory -> {
              long address = memory == null || !memory.isNative() ? 0 : memory.address();
              assertNotEquals("1", outcome(() -> cq.poll(memory, address, 1)));
            });
    assertEquals(1, cq.poll(completions));
  }

  static Stream<String> plans() {
    return Stream.of("late=1ms", "refuse=EIO call=postRecv index=1");
  }

  /** A plan reads and writes the memory of completions only where the backend would. */
  @ParameterizedTest
  @MethodSource("plans")
  void memoryThatCannotHoldCompletionsIsRefusedAsWithoutAPlan(String plan) {
    open(plan);
    CompletionQueue beneath = devices.device("plain", Gid.parse("10.0.0.2")).open().createCq(4);
    List<String> with = new ArrayList<>();
    List<String> without = new ArrayList<>();
    wrongMemory()
        .forEach(
            memory -> {
              long address = memory == null || !memory.isNative() ? 0 : memory.address();
              with.add(outcome(() -> cq.poll(memory, address, 1)));
              without.add(outcome(() -> beneath.poll(memory, address, 1)));
            });
    MemorySegment memory = arena.allocate(2L * WcLayout.SIZE, 8);
    for (long at : new long[] {-8, 0, 8, 2L * WcLayout.SIZE}) {
      for (int max : new int[] {-1, 0, 2, 3}) {
        with.add(outcome(() -> cq.poll(memory, memory.address() + at, max)));
        without.add(outcome(() -> beneath.poll(memory, memory.address() + at, max)));
      }
    }
    assertEquals(without, with);
  }

  /** A rule that looks for a request by its index reads lists only where the backend would. */
  @Test
  void aListThatCannotBeReadIsRefusedAsWithoutAPlan() {
    open("refuse=ENOMEM call=postRecv index=1");
    Context plain = devices.device("plain", Gid.parse("10.0.0.2")).open();
    CompletionQueue other = plain.createCq(4);
    QueuePair beneath =
        plain
            .allocPd()
            .createQp(
                new QpInitAttr()
                    .qpType(QpType.UD)
                    .cq(other)
                    .cap(new QpCapabilities(4, 4, 1, 1, 0)));
    QpBringUp.toRts(beneath, QpBringUp.attributes());
    List<String> with = new ArrayList<>();
    List<String> without = new ArrayList<>();
    wrongMemory()
        .limit(3)
        .forEach(
            memory -> {
              long first = memory == null || !memory.isNative() ? 0 : memory.address();
              with.add(outcome(() -> qp.postRecv(memory, first)));
              without.add(outcome(() -> beneath.postRecv(memory, first)));
            });
    MemorySegment memory = arena.allocate(2L * RecvWrLayout.SIZE, 8);
    for (long at : new long[] {-8, RecvWrLayout.SIZE + 8, 2L * RecvWrLayout.SIZE}) {
      with.add(outcome(() -> qp.postRecv(memory, memory.address() + at)));
      without.add(outcome(() -> beneath.postRecv(memory, memory.address() + at)));
    }
    assertEquals(without, with);
  }

  /** A list of a program that cannot be cut. */
  @Test
  void aReadOnlyListIsNotRefusedWithinItself() {
    open("refuse=ENOMEM call=postRecv index=1");
    try (RecvRequestList list = new RecvRequestList(2, 1)) {
      list.add().wrId(1);
      list.add().wrId(2);
      refused(Errno.EINVAL, () -> qp.postRecv(list.memory().asReadOnly(), list.address()));
    }
  }
}
