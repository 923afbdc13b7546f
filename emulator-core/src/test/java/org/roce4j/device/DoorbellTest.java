package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/** Every post that must be handled asks for a turn at once, not at the next look-in. */
class DoorbellTest {
  private final Arena arena = Arena.ofAuto();
  private int rung;
  private int turns;

  private final class Rung extends Progress.Idle {
    @Override
    public void doorbell() {
      rung++;
    }

    @Override
    public void advance() {
      turns++;
    }
  }

  private enum Way {
    SEND(QpState.RTS),
    BUILT(QpState.RTS),
    BIND(QpState.RTS),
    SEND_TO_BE_FLUSHED(QpState.ERR),
    BUILT_TO_BE_FLUSHED(QpState.ERR),
    RECEIVE_TO_BE_FLUSHED(QpState.ERR);

    private final QpState state;

    Way(QpState state) {
      this.state = state;
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsPostedRings(Way way) {
    Device device = LoneEngine.device(PlayedPeer.HERE, Mtu.MTU_1024, DeviceLimits.DEFAULT);
    device.attach(PortControl.NONE, new Rung());
    ProtectionDomain pd = EmulatedContext.open(device, () -> {}).allocPd();
    QueuePair qp =
        pd.createQp(
            LoneEngine.init(QpType.RC, pd.context().createCq(8)).sendOps(SendOpsFlags.WITH_SEND));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    qp.modify(new QpAttr().qpState(way.state));
    rung = 0;
    turns = 0;
    post(way, pd, qp);
    assertTrue(rung > 0);
    assertTrue(device.engine(0).isRung());
    assertEquals(0, turns, "only a post that finds no room lets others act");
  }

  private void post(Way way, ProtectionDomain pd, QueuePair qp) {
    switch (way) {
      case SEND, SEND_TO_BE_FLUSHED -> {
        SendRequestList sends = new SendRequestList(arena, 1, 1, 0);
        assertEquals(0, qp.postSend(sends.add().opcode(WrOpcode.SEND)));
      }
      case BUILT, BUILT_TO_BE_FLUSHED -> {
        WorkRequestBuilder builder = qp.builder();
        builder.start();
        builder.send();
        assertEquals(0, builder.complete());
      }
      case RECEIVE_TO_BE_FLUSHED -> {
        RecvRequestList receives = new RecvRequestList(arena, 1, 1);
        assertEquals(0, qp.postRecv(receives.add()));
      }
      case BIND -> {
        int rights = AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND;
        MemoryRegion region = pd.registerMemory(arena.allocate(8, 8), rights);
        qp.bindMemoryWindow(
            pd.allocMemoryWindow(MwType.TYPE_1),
            1,
            SendFlags.SIGNALED,
            region,
            region.iova(),
            8,
            AccessFlags.REMOTE_READ);
      }
    }
  }
}
