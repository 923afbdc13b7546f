package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** What rules of the verbs can match and have chosen, as a program reads it. */
class VerbsLogTest {
  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final WorkCompletions completions = new WorkCompletions(4);

  @Test
  void callsAndCompletionsAreCountedAndFailuresTold() {
    VerbsFaults plan =
        VerbsFaults.parse("fail=RETRY_EXC_ERR nth=2; refuse=EIO call=queryPort first=2");
    List<String> told = new ArrayList<>();
    VerbsLog log = new VerbsLog(told::add);
    Context context =
        FaultyDevice.around(
                devices.device("faulty", Gid.parse("10.0.0.1")), plan, devices.fabric()::nowNs, log)
            .open();
    ProtectionDomain pd = context.allocPd();
    CompletionQueue cq = context.createCq(4);
    QueuePair qp =
        pd.createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .cq(cq)
                .sqSigAll(true)
                .cap(new QpCapabilities(4, 4, 1, 1, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes());
    AddressHandle ah =
        pd.createAh(
            new AhAttr(true, new GlobalRoute(Gid.parse("10.0.0.9"), 0, 0, 64, 0), 0, 0, 0, 0, 1));
    try (SendRequestList list = new SendRequestList(2, 1, 0)) {
      for (int i = 7; i < 9; i++) {
        list.add().wrId(i).opcode(WrOpcode.SEND).ud(ah, 17, QpBringUp.QKEY);
      }
      assertEquals(0, qp.postSend(list));
    }
    devices.fabric().run(1_000);
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
    assertEquals(2, log.counts().get(VerbsLog.COMPLETIONS));
    assertEquals(3, log.counts().get("queryPort"));
    assertEquals(1, log.counts().get("postSend"));
    assertTrue(log.counts().get("poll") > 0);
    assertEquals(null, log.counts().get("resize"));
  }
}
