package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AutoClose;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
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
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

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
    open(VerbsFaults.parse(plan), new VerbsLog(text -> {}));
  }

  void open(VerbsFaults plan, VerbsLog log) {
    open(devices.device("faulty", Gid.parse("10.0.0.1")), plan, log);
  }

  /** The backend has a defect: a call throws. */
  void openFailing(String call, String plan) {
    RdmaDevice failing =
        Bare.around(
            devices.device("failing", Gid.parse("10.0.0.1")),
            (name, _) -> {
              if (name.equals(call)) {
                throw new IllegalStateException(call);
              }
            });
    open(failing, VerbsFaults.parse(plan), new VerbsLog());
  }

  private void open(RdmaDevice device, VerbsFaults plan, VerbsLog log) {
    context = FaultyDevice.around(device, plan, devices.fabric()::nowNs, log).open();
    pd = context.allocPd();
    channel = context.createCompletionChannel();
    cq = context.createCq(4, null, channel, 0);
    qp = queuePair(cq);
  }

  QueuePair queuePair(CompletionQueue of) {
    return queuePair(of, of);
  }

  QueuePair queuePair(CompletionQueue sends, CompletionQueue receives) {
    QueuePair made =
        pd.createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .sendCq(sends)
                .recvCq(receives)
                .sendOps(SendOpsFlags.WITH_SEND)
                .cap(new QpCapabilities(4, 4, 1, 1, 0)));
    QpBringUp.toRts(made, QpBringUp.attributes());
    return made;
  }

  /** Sends datagrams to an address without a device; each has a completion. */
  void send(QueuePair of, long... ids) {
    AddressHandle ah = pd.createAh(AhAttr.roce(Gid.parse("10.0.0.9"), 0));
    try (SendRequestList list = new SendRequestList(ids.length, 1, 0)) {
      for (long id : ids) {
        list.add().wrId(id).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
        list.ud(ah, 17, QpBringUp.QKEY);
      }
      assertEquals(0, of.postSend(list));
    }
    devices.fabric().run(1_000);
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
