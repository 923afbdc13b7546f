package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Deth;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.ImmDt;
import org.roce4j.wire.Psn;

/**
 * A queue pair for unreliable datagrams, and what the oracle expects of it: each datagram that
 * reaches its port whole is received intact, with the header it travelled under, in the order of
 * arrival, if a receive request waits for it.
 */
final class DatagramEnd implements Participant, SendLedger.Owner {
  static final int QKEY = 0x1dea_0001;
  static final int WRONG_QKEY = 0x1dea_0002;

  private static final int UDP_HEADER = 8;
  private static final int HOP_LIMIT = 64;

  final SimulatedDevice device;
  final String name;
  final Zone localZone;
  final MemoryRegion localRegion;
  final SendLedger sends;

  private final Run run;
  private final ModelledMemory memory;
  private final QueuePair qp;
  private final ReceivePool receives;
  private final Arrivals arrivals;
  private final Set<Gid> groups = new HashSet<>();
  private final Map<Integer, PostedSend> sentByPsn = new HashMap<>();
  private final MemorySegment scratch;
  private final DatagramTraffic traffic;
  private int nextPsn;
  private int failedPsn;
  private boolean flushed;
  private boolean tornDown;
  private boolean cut;
  private boolean quiet;

  DatagramEnd(
      Run run, SimulatedDevice device, String name, int operations, SplittableRandom random) {
    this.run = run;
    this.device = device;
    SimulationOptions options = run.options();
    int longest = longest(options);
    int local = 6 * (longest + 256) + 4096;
    int receive = ReceivePool.zoneBytes(options.integer(Knob.RQ), 8, longest);
    memory = new ModelledMemory(run.arena(), name, local + receive, 2, random.split());
    localZone = memory.zone("source memory", local);
    Zone receiveZone = memory.zone("receive memory", receive);
    localRegion = device.pd().registerMemory(memory.segment(localZone), 0);
    MemoryRegion receiveRegion =
        device.pd().registerMemory(memory.segment(receiveZone), AccessFlags.LOCAL_WRITE);
    qp = createQp(options);
    this.name = "%s (%s, QP 0x%06x)".formatted(name, device.name(), qp.qpNum());
    sends = new SendLedger(run, this.name, this);
    device.add(this);
    receives =
        device.srq() != null
            ? device.receives()
            : new ReceivePool(
                run,
                false,
                options.integer(Knob.RQ),
                receiveZone,
                receiveRegion,
                longest,
                random.split(),
                qp::postRecv,
                n -> -1);
    arrivals = new Arrivals(run, receives);
    scratch = run.arena().allocate(longest, 8);
    nextPsn = random.nextInt(Psn.MASK + 1);
    traffic = new DatagramTraffic(run, this, operations, random.split());
  }

  /** Bytes of the largest datagram as it is received. */
  static int longest(SimulationOptions options) {
    return options.integer(Knob.MTU) + GlobalRouteHeader.SIZE;
  }

  private QueuePair createQp(SimulationOptions options) {
    return device.createQp(
        new QpInitAttr()
            .qpType(QpType.UD)
            .sendCq(device.sendCq(options.integer(Knob.SQ)))
            .recvCq(device.recvCq(options.integer(Knob.RQ)))
            .srq(device.srq())
            .sqSigAll(options.integer(Knob.SIGNAL) == 100)
            .cap(
                new QpCapabilities(
                    options.integer(Knob.SQ),
                    options.integer(Knob.RQ),
                    options.integer(Knob.SGES),
                    options.integer(Knob.SGES),
                    options.integer(Knob.INLINE))));
  }

  /** Brings the queue pair to RTS, joins some of the groups and starts the traffic. */
  void start(Iterable<Gid> joined) {
    run.witness().watch(this);
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
    qp.modify(new QpAttr().qpState(QpState.RTR));
    qp.modify(new QpAttr().qpState(QpState.RTS).sqPsn(nextPsn));
    for (Gid group : joined) {
      groups.add(group);
      qp.attachMulticast(group);
    }
    receives.replenish();
    traffic.start();
  }

  @Override
  public QueuePair qp() {
    return qp;
  }

  @Override
  public ModelledMemory memory() {
    return memory;
  }

  boolean isMember(Gid group) {
    return groups.contains(group);
  }

  @Override
  public boolean alive() {
    return !cut
        && !tornDown
        && !sends.hasFailed()
        && (Participant.stateOf(qp) == QpState.RTS || Participant.stateOf(qp) == QpState.SQD);
  }

  @Override
  public boolean finished() {
    return cut || (sends.isEmpty() && traffic.done());
  }

  int operationsLeft() {
    return traffic.left();
  }

  // ---- the wire

  /** It bears the next PSN, unless it is too long to be sent. */
  void posted(PostedSend send) {
    sends.posted(send);
    sentByPsn.put(nextPsn, send);
    nextPsn = Psn.add(nextPsn, 1);
  }

  void packetSent(int psn) {
    require(
        !quiet,
        Rule.DRAINED_IS_SILENT,
        "%s sent PSN %d after it had said that its send queue is drained",
        name,
        psn);
    PostedSend send = sentByPsn.get(psn);
    require(
        send != null && send.length() <= run.options().get(Knob.MTU),
        Rule.WHOLE_OR_NOT_AT_ALL,
        "%s sent PSN %d, which is of no datagram that may be sent: %s",
        name,
        psn,
        send);
  }

  /** What was sent with that PSN, or null. */
  PostedSend sent(int psn) {
    return sentByPsn.get(psn);
  }

  /** A datagram for it reached the port. */
  void arrived(PostedSend message) {
    if (!tornDown && !cut && message.datagram.rightKey()) {
      arrivals.arrived(message, arrivals.certain());
    }
  }

  @Override
  public void quiet(boolean silent) {
    quiet = silent;
  }

  // ---- completions

  @Override
  public void completed(WorkCompletions wcs, int index) {
    if (Run.isReceive(wcs.wrId(index))) {
      received(wcs, index);
    } else {
      sends.completed(wcs, index);
      recover();
    }
  }

  /** Once everything is flushed, the queue is set to work again. */
  private void recover() {
    if (sends.hasFailed() && sends.isEmpty() && !tornDown && !cut) {
      run.count(Phenomenon.SEND_QUEUE_ERROR);
      sends.recovered();
      nextPsn = failedPsn;
      qp.modify(new QpAttr().qpState(QpState.RTS));
      traffic.roomMade();
    }
  }

  @Override
  public void judge(PostedSend send, WcStatus status) {
    if (status == WcStatus.LOC_LEN_ERR) {
      require(
          send.length() > run.options().get(Knob.MTU) && Participant.stateOf(qp) == QpState.SQE,
          Rule.RIGHT_STATUS,
          "%s in %s: %s completed with %s",
          name,
          Participant.stateOf(qp),
          send,
          status);
      failedPsn = psnOf(send);
      return;
    }
    require(
        status == WcStatus.WR_FLUSH_ERR && tornDown,
        Rule.RIGHT_STATUS,
        "%s in %s: %s completed with %s",
        name,
        Participant.stateOf(qp),
        send,
        status);
  }

  private int psnOf(PostedSend send) {
    return sentByPsn.entrySet().stream()
        .filter(entry -> entry.getValue() == send)
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  @Override
  public void succeeded(PostedSend send) {
    require(
        send.length() <= run.options().get(Knob.MTU),
        Rule.RIGHT_STATUS,
        "%s: %s is longer than a packet and succeeded",
        name,
        send);
    send.owned.forEach(extent -> extent.zone.give(extent));
  }

  @Override
  public void failed(PostedSend send) {
    send.owned.forEach(extent -> extent.zone.give(extent));
  }

  @Override
  public void roomMade() {
    traffic.roomMade();
  }

  private void received(WorkCompletions wcs, int index) {
    PostedReceive receive = receives.completed(name, wcs.wrId(index));
    if (wcs.status(index) != WcStatus.SUCCESS) {
      require(
          wcs.status(index) == WcStatus.WR_FLUSH_ERR && Participant.stateOf(qp) == QpState.ERR,
          Rule.RIGHT_STATUS,
          "%s in %s: %s completed with %s",
          name,
          Participant.stateOf(qp),
          receive,
          wcs.toString(index));
      flushed(receive);
      return;
    }
    require(
        !flushed,
        Rule.FLUSHED_IN_ORDER,
        "%s: a datagram was received after the flush: %s",
        name,
        wcs.toString(index));
    PostedSend message = arrivedMessage(receive, wcs, index);
    int bytes = GlobalRouteHeader.SIZE + message.length();
    String why = name + " received " + message + " into " + receive;
    Pieces.forEach(receive.pieces, scratch.asSlice(0, bytes), (e, b) -> e.memory.landed(e, b, why));
    run.count(
        message.datagram.to().isMulticast()
            ? message.datagram.from() == this ? Phenomenon.SELF_DELIVERED : Phenomenon.MULTICAST
            : Phenomenon.DATAGRAM);
    receives.free(receive);
    receives.replenish();
  }

  private PostedSend arrivedMessage(PostedReceive receive, WorkCompletions wcs, int index) {
    int bytes = wcs.byteLength(index);
    require(
        bytes >= GlobalRouteHeader.SIZE && bytes <= receive.capacity,
        Rule.RIGHT_COMPLETION,
        "%s: %s completed with %d bytes",
        name,
        receive,
        bytes);
    Pieces.gather(receive.pieces, scratch, bytes);
    return arrivals.received(
        name, wcs.toString(index), candidate -> looksLike(candidate, wcs, index));
  }

  /** Whether the completion, the header and the bytes are those of a datagram. */
  private boolean looksLike(PostedSend message, WorkCompletions wcs, int index) {
    boolean immediate = message.opcode == WrOpcode.SEND_WITH_IMM;
    int bytes = GlobalRouteHeader.SIZE + message.length();
    return wcs.opcode(index) == WcOpcode.RECV
        && wcs.byteLength(index) == bytes
        && wcs.flags(index) == (immediate ? WcFlags.GRH | WcFlags.WITH_IMM : WcFlags.GRH)
        && (!immediate || wcs.immediate(index) == message.immediate)
        && wcs.sourceQp(index) == message.datagram.from().qp.qpNum()
        && headerIsThatOf(message)
        && MemorySegment.mismatch(
                scratch,
                GlobalRouteHeader.SIZE,
                bytes,
                message.payload,
                0,
                message.payload.byteSize())
            < 0;
  }

  private boolean headerIsThatOf(PostedSend message) {
    Datagram datagram = message.datagram;
    int headers =
        UDP_HEADER
            + Bth.SIZE
            + Deth.SIZE
            + (message.opcode == WrOpcode.SEND_WITH_IMM ? ImmDt.SIZE : 0);
    int padded = (message.length() + 3) & -4;
    return GlobalRouteHeader.version(scratch, 0) == (datagram.to().isIpv4Mapped() ? 4 : 6)
        && GlobalRouteHeader.sgid(scratch, 0).equals(datagram.from().device.gid())
        && GlobalRouteHeader.dgid(scratch, 0).equals(datagram.to())
        && GlobalRouteHeader.hopLimit(scratch, 0) == HOP_LIMIT
        && GlobalRouteHeader.trafficClass(scratch, 0) == datagram.trafficClass()
        && GlobalRouteHeader.payloadLength(scratch, 0) == headers + padded + Icrc.SIZE;
  }

  /** Nothing is ever written into a receive request that does not complete. */
  private void flushed(PostedReceive receive) {
    String why = name + ": flushed " + receive;
    flushed = true;
    Pieces.forEach(receive.pieces, Pattern.NOTHING, (e, b) -> e.memory.landed(e, b, why));
  }

  // ---- the end

  @Override
  public void tearDown() {
    if (cut) {
      return;
    }
    tornDown = true;
    receives.close();
    qp.modify(new QpAttr().qpState(QpState.ERR));
  }

  /** Its device crashed. */
  @Override
  public void vanish() {
    cut = true;
    if (!receives.shared()) {
      receives.close();
    }
  }

  @Override
  public void settle() {
    if (cut) {
      sends.abandon();
    } else {
      sends.finishSilently();
    }
  }

  @Override
  public void checkAtEnd() {
    sends.checkAtEnd();
    if (!cut) {
      require(
          receives.shared() || receives.posted() == 0,
          Rule.FLUSHED_IN_ORDER,
          "%s in %s: %d receive requests never completed",
          name,
          Participant.stateOf(qp),
          receives.posted());
      arrivals.checkAtEnd(name);
    }
    memory.checkAll();
  }

  @Override
  public String standing() {
    return "%s in %s: %s; %d receive requests posted"
        .formatted(name, Participant.stateOf(qp), sends, receives.posted());
  }
}
