package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.Arena;
import java.util.Collections;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/** A call that a program repeats until something happens lets something happen. */
class RepeatedInVainTest {
  /** Counts the chances to run, and runs nothing. */
  private static final class Drive extends Progress.Idle {
    private int turns;
    private int looks;

    @Override
    public void advance() {
      turns++;
    }

    @Override
    public void looked() {
      looks++;
    }
  }

  @AutoClose private final Arena arena = Arena.ofShared();
  private final Drive drive = new Drive();
  private final Context context;
  private final ProtectionDomain pd;
  private final QueuePair qp;

  RepeatedInVainTest() {
    Device device = LoneEngine.ofEngines(1, Gid.parse("10.0.0.1"));
    device.attach(PortControl.NONE, drive, Collections.nCopies(1, drive));
    context = EmulatedContext.open(device, () -> {});
    pd = context.allocPd();
    qp =
        pd.createQp(
            new QpInitAttr()
                .cq(context.createCq(4))
                .cap(new QpCapabilities(1, 1, 1, 1))
                .sendOps(SendOpsFlags.WITH_SEND));
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
  }

  @Test
  void aPollOfAnEmptyQueue() {
    assertEquals(0, qp.sendCq().poll(new WorkCompletions(arena, 1)));
    assertEquals(1, drive.turns);
    ExtendedCompletionQueue extended = context.createCqEx(new CqInitAttr().cqe(4));
    assertEquals(Errno.ENOENT.number(), extended.startPoll());
    assertEquals(2, drive.turns);
  }

  @Test
  void aPostToAFullQueue() {
    RecvRequestList receive = new RecvRequestList(arena, 1, 1).add();
    assertEquals(0, qp.postRecv(receive));
    assertEquals(0, drive.turns);
    assertEquals(Errno.ENOMEM.number(), qp.postRecv(receive));
    assertEquals(1, drive.turns);
    qp.modify(new QpAttr().qpState(QpState.ERR));
    SendRequestList send = new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND);
    assertEquals(0, qp.postSend(send));
    assertEquals(1, drive.turns);
    assertEquals(Errno.ENOMEM.number(), qp.postSend(send));
    assertEquals(2, drive.turns);
    WorkRequestBuilder builder = qp.builder();
    builder.start();
    builder.send();
    assertEquals(Errno.ENOMEM.number(), builder.complete());
    assertEquals(3, drive.turns);
  }

  @Test
  void aLookForAnEventOrAtTheCounters() {
    assertNull(context.pollAsyncEvent());
    assertEquals(1, drive.looks);
    assertEquals(0, context.counters().get("cq_overflow"));
    assertEquals(2, drive.looks);
    new DeviceChanges(((EmulatedContext) context).emulated()).port(1, true);
    context.pollAsyncEvent().ack();
    assertEquals(2, drive.looks, "it found one");
  }
}
