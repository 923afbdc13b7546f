package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.WcLayout;

/** The oracle of send completions, given completions that no engine would produce. */
class SendLedgerTest implements SendLedger.Owner {
  private final List<String> known = new ArrayList<>();
  private final SendLedger ledger = new SendLedger(new RunCounts(), "test", this);
  private final WorkCompletions completion = new WorkCompletions(Arena.ofAuto(), 1);

  @Override
  public void succeeded(PostedSend send) {
    known.add(send.wrId + " done");
  }

  @Override
  public void failed(PostedSend send) {
    known.add(send.wrId + " failed");
  }

  @Override
  public void judge(PostedSend send, WcStatus status) {
    known.add(send.wrId + " " + status);
  }

  @Override
  public void roomMade() {}

  private void posts(long wrId, WrOpcode opcode, boolean signaled) {
    ledger.posted(new PostedSend(wrId, opcode, signaled, Arena.ofAuto().allocate(8)));
  }

  private void sends(int requests) {
    for (int i = 0; i < requests; i++) {
      posts(i, WrOpcode.SEND, true);
    }
  }

  private void completes(long wrId, WcStatus status, WcOpcode opcode, int bytes) {
    WcLayout.wrId(completion.memory(), 0, wrId);
    WcLayout.status(completion.memory(), 0, status.value());
    WcLayout.opcode(completion.memory(), 0, opcode.value());
    WcLayout.byteLen(completion.memory(), 0, bytes);
    ledger.completed(completion, 0);
  }

  private void completes(long wrId, WcStatus status) {
    completes(wrId, status, WcOpcode.SEND, 0);
  }

  private static void breaks(OracleRule rule, Runnable what) {
    assertEquals(rule, assertThrows(RuleBroken.class, what::run).rule());
  }

  @Test
  void eachCompletesOnceInTheOrderOfPosting() {
    sends(3);
    breaks(OracleRule.COMPLETED_ONCE_IN_ORDER, () -> completes(1, WcStatus.SUCCESS));
  }

  @Test
  void whatNeverCompletesIsCountedAtTheEnd() {
    sends(3);
    completes(0, WcStatus.SUCCESS);
    RuleBroken broken = assertThrows(RuleBroken.class, ledger::checkAtEnd);
    assertEquals(OracleRule.FLUSHED_IN_ORDER, broken.rule());
    assertTrue(broken.getMessage().contains("2 send requests"), broken::getMessage);
  }

  @Test
  void nothingCompletesTwice() {
    sends(1);
    completes(0, WcStatus.SUCCESS);
    breaks(OracleRule.COMPLETED_ONCE_IN_ORDER, () -> completes(0, WcStatus.SUCCESS));
  }

  @Test
  void theUnsignaledIsDoneWithTheNextThatIsSignaled() {
    posts(0, WrOpcode.SEND, false);
    posts(1, WrOpcode.SEND, false);
    posts(2, WrOpcode.SEND, true);
    completes(2, WcStatus.SUCCESS);
    assertEquals(List.of("0 done", "1 done", "2 done"), known);
  }

  @Test
  void theUnsignaledHasNoSuccessOfItsOwn() {
    posts(0, WrOpcode.SEND, false);
    breaks(OracleRule.RIGHT_COMPLETION, () -> completes(0, WcStatus.SUCCESS));
  }

  @Test
  void aCompletionBearsTheOperationOfItsRequest() {
    sends(1);
    breaks(
        OracleRule.RIGHT_COMPLETION, () -> completes(0, WcStatus.SUCCESS, WcOpcode.RDMA_WRITE, 0));
  }

  @Test
  void aReadTellsHowMuchItRead() {
    posts(0, WrOpcode.RDMA_READ, true);
    breaks(
        OracleRule.RIGHT_COMPLETION, () -> completes(0, WcStatus.SUCCESS, WcOpcode.RDMA_READ, 7));
  }

  @Test
  void anAtomicTellsThatItReadALong() {
    posts(0, WrOpcode.ATOMIC_FETCH_AND_ADD, true);
    breaks(
        OracleRule.RIGHT_COMPLETION, () -> completes(0, WcStatus.SUCCESS, WcOpcode.FETCH_ADD, 0));
  }

  @Test
  void afterAFailureEverythingIsFlushedInOrder() {
    sends(4);
    completes(0, WcStatus.RETRY_EXC_ERR);
    completes(1, WcStatus.WR_FLUSH_ERR);
    assertEquals(List.of("0 RETRY_EXC_ERR", "0 failed", "1 failed"), known);
    breaks(OracleRule.FLUSHED_IN_ORDER, () -> completes(2, WcStatus.SUCCESS));
    breaks(OracleRule.FLUSHED_IN_ORDER, () -> completes(3, WcStatus.RETRY_EXC_ERR));
  }

  @Test
  void theUnsignaledIsFlushedToo() {
    posts(0, WrOpcode.SEND, true);
    posts(1, WrOpcode.SEND, false);
    posts(2, WrOpcode.SEND, true);
    completes(0, WcStatus.RETRY_EXC_ERR);
    breaks(OracleRule.COMPLETED_ONCE_IN_ORDER, () -> completes(2, WcStatus.WR_FLUSH_ERR));
  }

  @Test
  void whatWorksAgainIsFlushedNoMore() {
    sends(2);
    completes(0, WcStatus.RETRY_EXC_ERR);
    ledger.recovered();
    completes(1, WcStatus.SUCCESS);
    assertEquals("1 done", known.getLast());
  }
}
