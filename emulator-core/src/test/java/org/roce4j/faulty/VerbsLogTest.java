package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Errno;

/** What rules of the verbs can match and have chosen, as a program reads it. */
class VerbsLogTest extends PlannedDevice {
  @Test
  void callsAndCompletionsAreCountedAndFailuresTold() {
    VerbsFaults plan =
        VerbsFaults.parse("fail=RETRY_EXC_ERR nth=2; refuse=EIO call=queryPort first=2");
    List<String> told = new ArrayList<>();
    VerbsLog log = new VerbsLog(told::add);
    open(plan, log);
    send(qp, 7, 8);
    assertEquals(2, cq.poll(completions));
    assertEquals(
        List.of(
            "QP 0x%x on faulty: completion of SEND (wr_id 8) failed with RETRY_EXC_ERR: a plan of"
                    .formatted(qp.qpNum())
                + " faults failed it: fail=RETRY_EXC_ERR nth=2"),
        told.stream()
            .map(text -> text.replaceFirst("RETRY_EXC_ERR \\([^)]*\\)", "RETRY_EXC_ERR"))
            .toList());
    context.queryPort(1);
    refused(Errno.EIO, () -> context.queryPort(1));
    refused(Errno.EIO, () -> context.queryPort(1));
    assertEquals(1, log.chosenBy(plan.rules().get(0)));
    assertEquals(2, log.chosenBy(plan.rules().get(1)));
    assertEquals(0, log.chosenBy(VerbsFaults.parse("late=1ms").rules().getFirst()));
    assertEquals(2, log.counts().get(VerbsLog.COMPLETIONS));
    assertEquals(3, log.counts().get("queryPort"));
    assertEquals(1, log.counts().get("postSend"));
    assertTrue(log.counts().get("poll") > 0);
    assertEquals(null, log.counts().get("resize"));
  }
}
