package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AutoClose;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;

/** A device under a plan of faults at the verbs, with the objects that most tests need. */
abstract class PlannedDevice {
  @AutoClose final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose final WorkCompletions completions = new WorkCompletions(4);
  @AutoClose final Arena arena = Arena.ofShared();
  Context context;
  ProtectionDomain pd;
  CompletionChannel channel;
  CompletionQueue cq;
  QueuePair qp;

  void open(String plan) {
    context =
        FaultyDevice.around(
                devices.device("faulty", Gid.parse("10.0.0.1")),
                VerbsFaults.parse(plan),
                devices.fabric()::nowNs)
            .open();
    pd = context.allocPd();
    channel = context.createCompletionChannel();
    cq = context.createCq(4, null, channel, 0);
    qp = queuePair(cq);
  }

  QueuePair queuePair(CompletionQueue of) {
    QueuePair made =
        pd.createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .cq(of)
                .sendOps(SendOpsFlags.WITH_SEND)
                .cap(new QpCapabilities(4, 4, 1, 1, 0)));
    QpBringUp.toRts(made, QpBringUp.attributes());
    return made;
  }

  static void flush(QueuePair of, int count) {
    of.modify(new QpAttr().qpState(QpState.ERR));
    try (RecvRequestList list = new RecvRequestList(count, 1)) {
      for (int i = 0; i < count; i++) {
        list.add().wrId(i);
      }
      assertEquals(0, of.postRecv(list));
    }
  }

  static String outcome(LongSupplier call) {
    try {
      return String.valueOf(call.getAsLong());
    } catch (VerbsException e) {
      return e.errno().name();
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }
}
