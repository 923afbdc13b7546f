package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.device.Refusals.refused;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;

/** What a rule does, in the words in which a program reads it. */
class VerbsRuleTest {
  @ParameterizedTest
  @ValueSource(strings = {"late=1ms qpn=0x1000000", "refuse=EIO call=postRecv index=0x1000000"})
  void numbersHave24Bits(String rule) {
    refused(Errno.EINVAL, () -> VerbsFaults.parse(rule));
    assertEquals(1, VerbsFaults.parse(rule.replace("0x1000000", "0xffffff")).rules().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"device-fatal", "cq-overflow"})
  void aFaultWithoutAnAmountHasTheValueZero(String rule) {
    assertEquals(0, VerbsFaults.parse(rule).rules().getFirst().value());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "event=QP_FATAL call=postSend index=1",
        "device-fatal call=postSend index=1",
        "late=1ms index=1",
        "fail=RETRY_EXC_ERR index=1",
        "cq-overflow index=1",
        "lose-event=QP_FATAL index=1",
      })
  void aRequestInAListIsRefusedAndNothingElse(String rule) {
    refused(Errno.EINVAL, () -> VerbsFaults.parse(rule));
    assertEquals(1, VerbsFaults.parse(rule.replace(" index=1", "")).rules().size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "refuse=EIO | Of all calls, each: it fails with EIO and does nothing.",
        "refuse=EIO call=postRecv index=2 nth=3 | Of the calls of postRecv that have a request 2,"
            + " the 3rd: that request is refused with EIO, those before it are posted.",
        "refuse=EIO index=1 | Of all calls that have a request 1, each: that request is refused"
            + " with EIO, those before it are posted.",
        "late=1ms qpn=0x11 | Of all completions of queue pair 0x000011, each: it comes 1ms later,"
            + " and so do those behind it of the same queue pair.",
        "fail=RETRY_EXC_ERR first=2 | Of all completions, each from the 2nd on: it comes with"
            + " status RETRY_EXC_ERR, and its queue pair goes to ERR.",
        "cq-overflow nth=2 | Of all completions, the 2nd: event CQ_ERR; that completion and all"
            + " further of its queue are lost, and its queue pairs go to ERR.",
        "device-fatal nth=2 | Of all calls, the 2nd: event DEVICE_FATAL; that call and all further"
            + " fail with EIO, only closing works.",
        "event=SRQ_ERR | Of all calls of shared receive queues, each: it works, and event SRQ_ERR"
            + " comes without cause.",
        "event=PORT_ERR call=queryPort | Of the calls of queryPort, each: it works, and event"
            + " PORT_ERR comes without cause.",
        "lose-event=CQ_ERR | Of the events CQ_ERR, each: it never comes.",
      })
  void aRuleIsExplainedInASentence(String rule, String sentence) {
    assertEquals(sentence, VerbsFaults.parse(rule).rules().getFirst().explain());
  }
}
