package org.roce4j.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.trace.Failure;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** The reports of a queue pair: its state, and the reason of a failure. */
class QpTellsTest {
  private static final int KEPT = 5;
  private static final int EXPECTED = 17;
  private static final int NEXT = 33;

  /** Each half counts on from the state in which it starts. */
  @ParameterizedTest
  @CsvSource({
    "RESET, 5, 5",
    "INIT, 5, 5",
    "RTR, 17, 5",
    "RTS, 17, 33",
    "SQD, 17, 33",
    "SQE, 17, 33",
    "ERR, 17, 33"
  })
  void aQueryTellsTheNextPsnOfEachHalfThatHasStarted(QpState state, int rqPsn, int sqPsn) {
    QpAttr kept = new QpAttr().rqPsn(KEPT).sqPsn(KEPT);
    QpAttr told = QpAttributes.query(kept, state, EXPECTED, NEXT, false);
    assertEquals(state, told.qpState());
    assertEquals(state, told.curQpState());
    assertEquals(rqPsn, told.rqPsn());
    assertEquals(sqPsn, told.sqPsn());
  }

  @Test
  void ofManyFailuresTheNewestAreKnownAndTheFirstIsTheCause() {
    FailureLog log = new FailureLog();
    for (int i = 0; i < 20; i++) {
      log.sendFailed(new Failure(i, WcStatus.RETRY_EXC_ERR, "request", "why " + i));
    }
    assertEquals("why 19", log.ofSend(19).why());
    assertEquals("why 12", log.ofSend(12).why());
    assertNull(log.ofSend(11));
    assertEquals("its request of wr_id 0 failed: why 0", log.cause());
    log.sendFailed(new Failure(19, WcStatus.RETRY_EXC_ERR, "request", "again"));
    assertEquals("again", log.ofSend(19).why(), "of one number the last");
    log.clear();
    assertNull(log.ofSend(19));
    assertNull(log.cause());
  }
}
