package org.roce4j.fuzz;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.FabricPort;
import org.roce4j.verbs.AccessFlags;
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
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.wire.Bth;
import org.roce4j.wire.UdpSourcePort;
import org.roce4j.wire.XrcEth;

/**
 * A device with a queue pair of each service, XRC in two halves, with requests posted on both
 * sides. A peer at the right address sends it any bytes with a right ICRC.
 */
final class DeviceUnderFire implements AutoCloseable {
  private static final Gid DEVICE = Gid.parse("10.0.0.1");
  private static final Gid PEER = Gid.parse("10.0.0.2");
  private static final QpType[] SERVICES = {QpType.RC, QpType.UC, QpType.UD};
  private static final int PEER_QPN = 0x17;
  private static final int QKEY = 0x11111111;
  private static final int PSN = 0;
  private static final int REGISTERED = 1 << 13;
  private static final int CANARY_BYTES = 4096;
  private static final byte CANARY = 0x5a;
  private static final int RECEIVES = 4;
  private static final int MOST_DATAGRAMS = 64;
  private static final int LONGEST = 4200;
  private static final int ACCESS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;

  private final Arena arena = Arena.ofShared();
  private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  private final FabricPort peer;
  private final Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 1);
  private final Path path =
      new Path(0, PEER.high(), PEER.low(), DEVICE.high(), DEVICE.low(), 0, 64);
  private final MemorySegment memory = arena.allocate(REGISTERED + 2L * CANARY_BYTES, 4096);
  private final MemoryRegion region;
  private final CompletionQueue cq;

  /** The completion queue of an XRC shared receive queue, whose posted requests are not flushed. */
  private final CompletionQueue extendedCq;

  private final SharedReceiveQueue srq;
  private final List<QueuePair> queuePairs = new ArrayList<>();
  private final WorkCompletions completions = new WorkCompletions(arena, 16);
  private int posted;
  private int completed;

  DeviceUnderFire() {
    memory.fill(CANARY);
    Context context = devices.device("target", DEVICE).open();
    peer = devices.fabric().attach(List.of(PEER));
    ProtectionDomain pd = context.allocPd();
    region = pd.registerMemory(memory.asSlice(CANARY_BYTES, REGISTERED), ACCESS);
    cq = context.createCq(64);
    for (QpType service : SERVICES) {
      queuePairs.add(queuePair(pd, service));
    }
    extendedCq = context.createCq(64);
    XrcDomain xrcd = context.openXrcd(new XrcdInitAttr());
    srq =
        context.createSrq(
            new SrqInitAttrEx()
                .srqType(SrqType.XRC)
                .pd(pd)
                .xrcd(xrcd)
                .cq(extendedCq)
                .maxWr(RECEIVES));
    try (RecvRequestList list = receives()) {
      check(srq.postRecv(list) == 0, "a receive was not posted");
    }
    queuePairs.add(
        connected(context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd))));
    queuePairs.add(connected(pd.createQp(init(QpType.XRC_SEND))));
    for (QueuePair qp : List.of(queuePairs.getFirst(), queuePairs.getLast())) {
      request(qp, WrOpcode.RDMA_READ, 600);
      request(qp, WrOpcode.ATOMIC_FETCH_AND_ADD, 8);
      request(qp, WrOpcode.SEND, 300);
    }
    poll();
  }

  private QpInitAttr init(QpType service) {
    return new QpInitAttr().qpType(service).cq(cq).cap(new QpCapabilities(8, 8, 2, 2));
  }

  private QueuePair queuePair(ProtectionDomain pd, QpType service) {
    QueuePair qp = connected(pd.createQp(init(service)));
    try (RecvRequestList list = receives()) {
      check(qp.postRecv(list) == 0, "a receive was not posted");
      posted += RECEIVES;
    }
    return qp;
  }

  private RecvRequestList receives() {
    RecvRequestList list = new RecvRequestList(RECEIVES, 1);
    for (int i = 0; i < RECEIVES; i++) {
      list.add().wrId(i).sge(region, 0, 1024);
    }
    return list;
  }

  private static QueuePair connected(QueuePair qp) {
    QpBringUp.toRts(
        qp,
        QpBringUp.attributes(AhAttr.roce(PEER, 0), PEER_QPN)
            .qpAccessFlags(ACCESS)
            .qkey(QKEY)
            .pathMtu(Mtu.MTU_256)
            .rqPsn(PSN)
            .sqPsn(PSN)
            .minRnrTimer(1)
            .timeout(0)
            .maxDestRdAtomic(2)
            .maxRdAtomic(2));
    return qp;
  }

  private void request(QueuePair qp, WrOpcode opcode, int bytes) {
    try (SendRequestList list = new SendRequestList(1, 1, 0)) {
      list.add().wrId(posted).opcode(opcode).flags(SendFlags.SIGNALED).sge(region, 4096, bytes);
      if (opcode == WrOpcode.ATOMIC_FETCH_AND_ADD) {
        list.atomic(region.address(), region.rkey(), 1, 0);
      } else if (opcode == WrOpcode.RDMA_READ) {
        list.remote(region.address(), region.rkey());
      }
      check(qp.postSend(list) == 0, "a request was not posted");
      posted++;
    }
  }

  /**
   * Sends the datagrams in {@code bytes}. Each begins with two bytes of its length and one byte
   * that selects the fields to correct (destination, PSN near the expected one, R_Key).
   */
  void fire(byte[] bytes) {
    ByteBuffer input = ByteBuffer.wrap(bytes);
    for (int i = 0; i < MOST_DATAGRAMS && input.remaining() > 3; i++) {
      int length = Math.min((input.getShort() & 0xffff) % LONGEST, input.remaining() - 1);
      int helped = input.get();
      byte[] datagram = new byte[Math.max(length & ~3, Bth.SIZE + 4)];
      input.get(datagram, 0, Math.min(length, datagram.length));
      help(datagram, helped);
      send(datagram);
      poll();
    }
  }

  private void help(byte[] datagram, int how) {
    ByteBuffer packet = ByteBuffer.wrap(datagram);
    boolean extended = (how & 64) != 0;
    if (extended && datagram.length >= Bth.SIZE + 8) {
      packet.putInt(12, (how & 8) != 0 ? packet.getInt(12) : srq.srqNum());
    }
    int ethAt = Bth.SIZE + (extended ? XrcEth.SIZE : 0);
    if ((how & 1) != 0) {
      QueuePair qp =
          queuePairs.get(extended ? SERVICES.length + (how >> 4 & 1) : (how >> 4 & 3) % 3);
      packet.putInt(4, packet.getInt(4) & 0xff000000 | qp.qpNum());
      packet.putShort(2, (short) 0xffff);
      packet.put(1, (byte) (packet.get(1) & 0xf0));
    }
    if ((how & 2) != 0) {
      packet.putInt(8, packet.getInt(8) & 0xff000000 | packet.get(11) & 7);
    }
    if ((how & 4) != 0 && datagram.length >= ethAt + 16) {
      packet.putLong(ethAt, region.address() + (packet.getShort(ethAt + 6) & 0x1fff));
      packet.putInt(ethAt + 8, region.rkey());
    }
    if (!extended && (how & 8) != 0 && datagram.length >= Bth.SIZE + 8) {
      packet.putInt(12, QKEY);
    }
  }

  private void send(byte[] datagram) {
    train.clear();
    int at = train.claim(path, UdpSourcePort.MIN, datagram.length);
    train.buffer().put(at, datagram);
    train.commit(datagram.length);
    peer.send(train);
    while (devices.fabric().nextEventNs() <= devices.fabric().nowNs() + 1_000_000) {
      if (!devices.fabric().step()) {
        return;
      }
    }
  }

  private void poll() {
    int count;
    while ((count = cq.poll(completions, 16)) > 0) {
      completed += count;
      for (int i = 0; i < count; i++) {
        check(completions.status(i) != null, "a completion without a status");
      }
    }
  }

  /**
   * Requires that nothing was written outside the region, nothing completed twice, and verbs still
   * work.
   */
  void isUnharmed() {
    for (QueuePair qp : queuePairs) {
      qp.modify(new QpAttr().qpState(QpState.ERR));
    }
    poll();
    check(extendedCq.poll(completions, 16) <= RECEIVES, "more receives of XRC than were posted");
    check(completed == posted, completed + " completions of " + posted + " requests");
    for (int i = 0; i < CANARY_BYTES; i++) {
      check(memory.get(ValueLayout.JAVA_BYTE, i) == CANARY, "byte " + i + " in front");
      long behind = (long) CANARY_BYTES + REGISTERED + i;
      check(memory.get(ValueLayout.JAVA_BYTE, behind) == CANARY, "byte " + i + " behind");
    }
    for (QueuePair qp : queuePairs) {
      qp.modify(new QpAttr().qpState(QpState.RESET));
      qp.close();
    }
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  @Override
  public void close() {
    devices.close();
    arena.close();
  }
}
