package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.engine.trace.RequestNote;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Opcode;

/** A trace of requests has each request of a list, with all its bytes, and each completion. */
class RequestTraceTest implements EngineTrace {
  @AutoClose private final Arena arena = Arena.ofShared();
  private final List<String> seen = new ArrayList<>();
  private final Device device =
      new Device(
          null,
          DeviceLimits.DEFAULT,
          new GidTable(List.of(Gid.parse("10.0.0.1")), 0),
          Mtu.MTU_1024,
          new SplittableRandom(1),
          this);
  private final CompletionQueue cq;
  private final MemoryRegion region;
  private final QueuePair qp;

  RequestTraceTest() {
    device.attach(PortControl.NONE, Progress.NONE);
    Context context = EmulatedContext.open(device, () -> {});
    cq = context.createCq(16);
    ProtectionDomain pd = context.allocPd();
    region = pd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE);
    qp =
        pd.createQp(
            new QpInitAttr()
                .cq(cq)
                .cap(new QpCapabilities(4, 4, 2, 2, 64))
                .sendOps(SendOpsFlags.WITH_SEND | SendOpsFlags.WITH_RDMA_WRITE));
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    qp.modify(new QpAttr().qpState(QpState.ERR));
  }

  @Override
  public boolean wantsRequests() {
    return true;
  }

  @Override
  public void posted(RequestNote note) {
    seen.add("posted %d %s %d".formatted(note.wrId(), note.operation(), note.bytes()));
  }

  @Override
  public void polled(RequestNote note) {
    String done = note.operation().isEmpty() ? "nothing" : note.operation();
    seen.add("polled %d %s %s %d".formatted(note.wrId(), note.status(), done, note.bytes()));
  }

  private void flush() {
    device.engine(0).handleDoorbells(0);
    device.engine(0).pollTransmit(0, new Transmit(ByteBuffer.allocateDirect(64), 1));
  }

  @Test
  void eachRequestOfAListIsSeen() {
    SendRequestList sends = new SendRequestList(arena, 2, 2, 0);
    sends.add().wrId(1).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED).sge(region, 0, 3);
    sends.sge(region, 8, 4);
    sends.add().wrId(2).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED).sge(region, 0, 5);
    assertEquals(0, qp.postSend(sends));
    RecvRequestList receives = new RecvRequestList(arena, 2, 2);
    receives.add().wrId(3).sge(region, 0, 6).sge(region, 8, 1);
    receives.add().wrId(4);
    assertEquals(0, qp.postRecv(receives));
    assertEquals(
        List.of("posted 1 SEND 7", "posted 2 RDMA_WRITE 5", "posted 3 RECV 7", "posted 4 RECV 0"),
        seen);
    seen.clear();
    flush();
    assertEquals(4, cq.poll(new WorkCompletions(arena, 8)));
    assertEquals(
        List.of(1, 2, 3, 4).stream()
            .map(i -> "polled %d WR_FLUSH_ERR nothing 0".formatted(i))
            .toList(),
        seen.stream().sorted().toList());
  }

  @Test
  void ofAListThatIsRefusedThoseBeforeTheRefusedRequestAreSeen() {
    SendRequestList sends = new SendRequestList(arena, 3, 3, 0);
    sends.add().wrId(1).opcode(WrOpcode.SEND);
    sends.add().wrId(2).opcode(WrOpcode.SEND);
    sends.add().wrId(3).opcode(WrOpcode.SEND);
    sends.sge(region, 0, 1).sge(region, 0, 1).sge(region, 0, 1); // one more than it may have
    assertEquals(Errno.EINVAL.number(), qp.postSend(sends));
    assertEquals(List.of("posted 1 SEND 0", "posted 2 SEND 0"), seen);
    seen.clear();
    RecvRequestList receives = new RecvRequestList(arena, 2, 4);
    receives.add().wrId(4);
    receives.add().wrId(5).sge(region, 0, 1).sge(region, 0, 1).sge(region, 0, 1);
    assertEquals(Errno.EINVAL.number(), qp.postRecv(receives));
    assertEquals(List.of("posted 4 RECV 0"), seen);
  }

  @Test
  void aCompletionIsSeenWithWhatItDid() {
    QueuePair receiver = qp.pd().createQp(LoneEngine.init(QpType.UC, cq));
    QpBringUp.toRts(receiver, PlayedPeer.attributes(Mtu.MTU_1024));
    RecvRequestList receives = new RecvRequestList(arena, 1, 1);
    receives.add().wrId(6).sge(region, 0, 64);
    receiver.postRecvOrThrow(receives);
    seen.clear();
    new PlayedPeer(device.engine(0), receiver).says(0, Opcode.UC_SEND_ONLY, false, 0, 8);
    assertEquals(1, cq.poll(new WorkCompletions(arena, 8)));
    assertEquals(List.of("polled 6 SUCCESS RECV 8"), seen);
  }

  /** Its other fields are undefined, as those of a flushed one. */
  @Test
  void aCompletionThatFailedIsSeenWithItsStatusAlone() {
    QueuePair receiver = qp.pd().createQp(LoneEngine.init(QpType.RC, cq));
    QpBringUp.toRts(receiver, PlayedPeer.attributes(Mtu.MTU_1024));
    receiver.postRecvOrThrow(new RecvRequestList(arena, 1, 1).add().wrId(6).sge(region, 0, 4));
    seen.clear();
    new PlayedPeer(device.engine(0), receiver).says(0, Opcode.RC_SEND_ONLY, true, 0, 8);
    flush();
    assertEquals(1, cq.poll(new WorkCompletions(arena, 8)));
    assertEquals(List.of("polled 6 LOC_LEN_ERR nothing 0"), seen);
  }

  @Test
  void eachRequestOfABatchIsSeenOnceItIsPosted() {
    WorkRequestBuilder builder = qp.builder();
    builder.start();
    builder.wrId(1).flags(SendFlags.SIGNALED).send().setSge(region.lkey(), region.iova(), 3);
    builder.wrId(2).rdmaWrite(region.rkey(), region.iova());
    builder.setInlineData(arena.allocate(5));
    builder.wrId(3).send().wrId(9); // of the next
    assertEquals(List.of(), seen);
    assertEquals(0, builder.complete());
    assertEquals(List.of("posted 1 SEND 3", "posted 2 RDMA_WRITE 5", "posted 3 SEND 0"), seen);
    seen.clear();
    builder.start();
    builder.wrId(4).send();
    builder.abort();
    builder.start();
    builder.wrId(5).send().setSge(region.lkey(), region.iova(), 4);
    assertEquals(0, builder.complete());
    assertEquals(List.of("posted 5 SEND 4"), seen);
  }

  @Test
  void ofABatchThatIsRefusedNothingIsSeen() {
    WorkRequestBuilder builder = qp.builder();
    builder.start();
    builder.wrId(1).send();
    builder.wrId(2).send().setInlineData(arena.allocate(4096));
    assertEquals(Errno.EINVAL.number(), builder.complete());
    assertEquals(List.of(), seen);
  }

  /** The lengths of elements have 32 bits without a sign. */
  @Test
  void theBytesOfLargeElementsAreCounted() {
    SendRequestList sends = new SendRequestList(arena, 1, 2, 0);
    sends.add().wrId(1).opcode(WrOpcode.SEND);
    sends.sge(region.iova(), -1, region.lkey()).sge(region.iova(), -1, region.lkey());
    assertEquals(0, qp.postSend(sends));
    RecvRequestList receives = new RecvRequestList(arena, 1, 2);
    receives.add().wrId(2).sge(region.iova(), Integer.MIN_VALUE, region.lkey());
    assertEquals(0, qp.postRecv(receives));
    assertEquals(List.of("posted 1 SEND " + 2 * 0xffffffffL, "posted 2 RECV " + 0x80000000L), seen);
  }
}
