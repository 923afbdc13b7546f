package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
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
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * Random requests, in range and out of range, posted as a list on one device and built on its twin:
 * both refuse the same requests, send the same bytes and complete alike.
 */
class BuiltAgainstPostedTest {
  private static final Gid PEER = Gid.parse("10.0.0.2");
  private static final List<WrOpcode> DATAGRAMS = List.of(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM);
  private static final List<WrOpcode> UNRELIABLE =
      List.of(
          WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM);
  private static final List<WrOpcode> RELIABLE =
      List.of(
          WrOpcode.SEND,
          WrOpcode.SEND_WITH_IMM,
          WrOpcode.SEND_WITH_INV,
          WrOpcode.RDMA_WRITE,
          WrOpcode.RDMA_WRITE_WITH_IMM,
          WrOpcode.RDMA_READ,
          WrOpcode.ATOMIC_CMP_AND_SWP,
          WrOpcode.ATOMIC_FETCH_AND_ADD);

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment memory = arena.allocate(4096, 4096);
  private final Random random = new Random(7);

  private static List<WrOpcode> operations(QpType type) {
    return type == QpType.UD ? DATAGRAMS : type == QpType.UC ? UNRELIABLE : RELIABLE;
  }

  /** One of two devices that draw the same numbers. */
  private final class Twin {
    final Device device = LoneEngine.device(PlayedPeer.HERE, Mtu.MTU_256, DeviceLimits.DEFAULT);
    final Context context;
    final CompletionQueue cq;
    final QueuePair qp;
    final MemoryRegion region;
    final AddressHandle ah;
    private final ByteBuffer datagrams = ByteBuffer.allocateDirect(Transmit.MAX_BYTES);
    private final WorkCompletions completions = new WorkCompletions(arena, 16);

    Twin(QpType type) {
      device.attach(PortControl.NONE, Progress.NONE);
      context = EmulatedContext.open(device, () -> {});
      ProtectionDomain pd = context.allocPd();
      cq = context.createCq(64);
      region = pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
      ah = pd.createAh(AhAttr.roce(PEER, 0));
      long operations = 0;
      for (WrOpcode each : operations(type)) {
        operations |= SendOpsFlags.of(each);
      }
      qp =
          context.createQp(
              new QpInitAttr()
                  .qpType(type)
                  .pd(pd)
                  .sendCq(cq)
                  .recvCq(type == QpType.XRC_SEND ? null : cq)
                  .cap(new QpCapabilities(16, 0, 2, 0, 32))
                  .sendOps(operations));
    }

    /** Resets the queue pair, so that nothing is in flight. */
    void renew() {
      qp.modify(new QpAttr().qpState(QpState.RESET));
      QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_256).maxRdAtomic(4).qkey(0x1111));
    }

    /** The packets sent, then the completions when the queue pair fails. */
    String outcome() {
      List<String> words = new ArrayList<>();
      Transmit out = new Transmit(datagrams, Transmit.MAX_SEGMENTS);
      while (device.engine(0).pollTransmit(1, out) > 0) {
        byte[] bytes = new byte[out.length()];
        out.buffer().get(0, bytes);
        words.add(out.path() + " " + HexFormat.of().formatHex(bytes));
      }
      qp.modify(new QpAttr().qpState(QpState.ERR));
      device.engine(0).pollTransmit(1, out);
      for (int n = cq.poll(completions); n > 0; n = cq.poll(completions)) {
        for (int i = 0; i < n; i++) {
          words.add(completions.wrId(i) + " " + completions.status(i));
        }
      }
      return String.join("\n", words);
    }
  }

  /** A request with some parts out of range. */
  private record Request(
      WrOpcode opcode,
      long wrId,
      int flags,
      int number,
      long address,
      int rkey,
      long[] operands,
      int[] lengths,
      int inlineBytes,
      int qpn,
      boolean ofNoData) {}

  private Request draw(QpType type) {
    List<WrOpcode> operations = operations(type);
    WrOpcode opcode = operations.get(random.nextInt(operations.size()));
    boolean atomic =
        opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    int[] lengths = new int[random.nextInt(10) == 0 ? 3 : random.nextInt(3)];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] =
          switch (random.nextInt(12)) {
            case 0 -> -1;
            case 1 -> Integer.MIN_VALUE;
            case 2 -> 0;
            default -> atomic ? 8 : random.nextInt(600);
          };
    }
    return new Request(
        opcode,
        random.nextLong(),
        random.nextInt() & (SendFlags.SIGNALED | SendFlags.FENCE | SendFlags.SOLICITED),
        random.nextInt(),
        random.nextInt(8) == 0 ? random.nextLong() : random.nextLong() & -8,
        random.nextInt(),
        new long[] {random.nextLong(), random.nextLong()},
        lengths,
        random.nextInt(3) == 0 ? random.nextInt(40) : -1,
        random.nextInt(),
        random.nextInt(6) == 0);
  }

  private int post(Twin to, List<Request> requests) {
    SendRequestList list = new SendRequestList(arena, requests.size(), 3, 64);
    for (Request each : requests) {
      add(to, list, each);
    }
    return to.qp.postSend(list);
  }

  private void add(Twin to, SendRequestList list, Request request) {
    list.add().wrId(request.wrId()).opcode(request.opcode()).flags(request.flags());
    switch (request.opcode()) {
      case SEND_WITH_IMM -> list.immediate(request.number());
      case SEND_WITH_INV -> list.invalidateRkey(request.number());
      case RDMA_WRITE_WITH_IMM ->
          list.immediate(request.number()).remote(request.address(), request.rkey());
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
          list.atomic(
              request.address(), request.rkey(), request.operands()[0], request.operands()[1]);
      case RDMA_WRITE, RDMA_READ -> list.remote(request.address(), request.rkey());
      default -> {}
    }
    if (to.qp.qpType() == QpType.UD) {
      list.ud(to.ah, request.qpn(), request.rkey());
    } else if (to.qp.qpType() == QpType.XRC_SEND) {
      list.xrc(request.qpn());
    }
    if (request.ofNoData()) {
      return;
    }
    if (request.inlineBytes() >= 0) {
      list.inline(memory.asSlice(0, request.inlineBytes()));
    } else {
      for (int length : request.lengths()) {
        list.sge(to.region.address(), length, to.region.lkey());
      }
    }
  }

  private int build(Twin to, List<Request> requests) {
    WorkRequestBuilder builder = to.qp.builder();
    builder.start();
    for (Request each : requests) {
      begin(builder, each);
      if (to.qp.qpType() == QpType.UD) {
        builder.setUdAddress(to.ah, each.qpn(), each.rkey());
      } else if (to.qp.qpType() == QpType.XRC_SEND) {
        builder.setXrcSrqNumber(each.qpn());
      }
      if (!each.ofNoData()) {
        setData(to, builder, each);
      }
    }
    return builder.complete();
  }

  private static void begin(WorkRequestBuilder builder, Request request) {
    builder.wrId(request.wrId()).flags(request.flags());
    switch (request.opcode()) {
      case SEND -> builder.send();
      case SEND_WITH_IMM -> builder.sendImmediate(request.number());
      case SEND_WITH_INV -> builder.sendInvalidate(request.number());
      case RDMA_WRITE -> builder.rdmaWrite(request.rkey(), request.address());
      case RDMA_WRITE_WITH_IMM ->
          builder.rdmaWriteImmediate(request.rkey(), request.address(), request.number());
      case RDMA_READ -> builder.rdmaRead(request.rkey(), request.address());
      case ATOMIC_CMP_AND_SWP ->
          builder.compareAndSwap(
              request.rkey(), request.address(), request.operands()[0], request.operands()[1]);
      default -> builder.fetchAndAdd(request.rkey(), request.address(), request.operands()[0]);
    }
  }

  private void setData(Twin to, WorkRequestBuilder builder, Request request) {
    if (request.inlineBytes() >= 0) {
      int half = request.inlineBytes() / 2;
      if (request.wrId() % 2 == 0) {
        builder.setInlineData(memory.asSlice(0, request.inlineBytes()));
      } else {
        builder.setInlineDataList(
            List.of(memory.asSlice(0, half), memory.asSlice(half, request.inlineBytes() - half)));
      }
      return;
    }
    MemorySegment elements = arena.allocate(16L * 3, 8);
    for (int i = 0; i < request.lengths().length; i++) {
      SgeLayout.addr(elements, 16L * i, to.region.address());
      SgeLayout.length(elements, 16L * i, request.lengths()[i]);
      SgeLayout.lkey(elements, 16L * i, to.region.lkey());
    }
    builder.setSgeList(elements, request.lengths().length);
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "UD", "XRC_SEND"})
  void sendTheSame(QpType type) {
    for (int i = 0; i < 4096; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) (31 * i));
    }
    Twin posted = new Twin(type);
    Twin built = new Twin(type);
    int accepted = 0;
    for (int i = 0; i < 2000; i++) {
      Request request = draw(type);
      posted.renew();
      built.renew();
      int errno = post(posted, List.of(request));
      assertEquals(errno, build(built, List.of(request)), request::toString);
      assertEquals(posted.outcome(), built.outcome(), request::toString);
      accepted += errno == 0 ? 1 : 0;
    }
    int several = accepted;
    assertTrue(several > 500 && several < 1900, () -> several + " were accepted");
  }

  /** A refused request ends a list, whose first requests are posted, and cancels a whole batch. */
  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "UD", "XRC_SEND"})
  void sendTheSameInBatches(QpType type) {
    Twin posted = new Twin(type);
    Twin built = new Twin(type);
    int accepted = 0;
    for (int i = 0; i < 1000; i++) {
      List<Request> requests = Stream.generate(() -> draw(type)).limit(2 + i % 3).toList();
      posted.renew();
      built.renew();
      int errno = post(posted, requests);
      assertEquals(errno, build(built, requests), requests::toString);
      if (errno == 0) {
        assertEquals(posted.outcome(), built.outcome(), requests::toString);
        accepted++;
      }
    }
    int several = accepted;
    assertTrue(several > 100 && several < 900, () -> several + " were accepted");
  }
}
