package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.wire.Opcode;

/** UC: a message whose end is missing. */
class TornMessageTest {
  private static final int PACKET = 1024;

  @AutoClose private final Arena arena = Arena.ofShared();
  @AutoClose private final WorkCompletions polled = new WorkCompletions(2);
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final MemoryRegion region =
      lone.pd.registerMemory(arena.allocate(2 * PACKET), AccessFlags.LOCAL_WRITE);
  private final QueuePair qp = lone.qp(QpType.UC);
  private final PlayedPeer peer = new PlayedPeer(lone.engine, qp);

  /** The end was never sent, or it was lost. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theNextMessageIsReceived(int psn) {
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    RecvRequestList receive = new RecvRequestList(arena, 1, 1).add();
    assertEquals(0, qp.postRecv(receive.sge(region, 0, 2 * PACKET)));
    peer.says(0, Opcode.UC_SEND_FIRST, false, 0, PACKET);
    peer.says(0, Opcode.UC_SEND_ONLY, false, psn, 8);
    assertEquals(1, qp.recvCq().poll(polled));
    assertEquals(8, polled.byteLength(0));
  }
}
