package org.roce4j.lab;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.roce4j.options.Quantity;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
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
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** A queue pair of a lab, its posted requests, and the data that it has of its peer. */
final class LabEnd {
  private static final int REQUESTS = 64;
  private static final int SHARED_QUEUES = 2;

  private final LabDevice device;
  private final String name;
  private final QueuePair qp;
  private final HappeningLog log;

  /** XRC: the shared receive queues of a target, which its peer's messages name. */
  private final List<SharedReceiveQueue> queues;

  /** Requests that have not completed, by {@code wr_id}, which is the number of the action. */
  private final Map<Long, String> sends = new LinkedHashMap<>();

  private final Map<Long, String> receives = new LinkedHashMap<>();
  private LabEnd peer;

  /** The key that it uses for its peer's memory. */
  private int key;

  private LabEnd(
      LabDevice device,
      String name,
      QueuePair qp,
      List<SharedReceiveQueue> queues,
      HappeningLog log) {
    this.device = device;
    this.name = name;
    this.qp = qp;
    this.queues = queues;
    this.log = log;
  }

  static LabEnd create(LabDevice device, String name, QpType service, HappeningLog log) {
    if (service == QpType.XRC_RECV) {
      XrcDomain domain = device.context().openXrcd(new XrcdInitAttr());
      QueuePair target =
          device.context().createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(domain));
      return new LabEnd(device, name, target, queues(device, domain), log);
    }
    QpInitAttr attr =
        new QpInitAttr()
            .qpType(service)
            .sendCq(device.cq())
            .recvCq(device.cq())
            .sqSigAll(true)
            .cap(new QpCapabilities(REQUESTS, REQUESTS, 1, 1, 0));
    return new LabEnd(device, name, device.pd().createQp(attr), List.of(), log);
  }

  private static List<SharedReceiveQueue> queues(LabDevice device, XrcDomain domain) {
    SrqInitAttrEx attr =
        new SrqInitAttrEx()
            .srqType(SrqType.XRC)
            .pd(device.pd())
            .xrcd(domain)
            .cq(device.cq())
            .maxWr(REQUESTS)
            .maxSge(1);
    return IntStream.range(0, SHARED_QUEUES)
        .mapToObj(_ -> device.context().createSrq(attr))
        .toList();
  }

  String name() {
    return name;
  }

  int number() {
    return qp.qpNum();
  }

  QueuePair qp() {
    return qp;
  }

  /** Null: none was named. */
  LabEnd peer() {
    return peer;
  }

  int key() {
    return key;
  }

  List<String> sends() {
    return List.copyOf(sends.values());
  }

  List<String> receives() {
    return List.copyOf(receives.values());
  }

  // ---- control

  /** Sets its peer's number, address and key. */
  void know(LabEnd other) {
    peer = other;
    key = other.device.region().rkey();
  }

  /** Sets the key that it uses; null: the right one. */
  void key(Integer value) {
    key = value == null ? requirePeer().device.region().rkey() : value;
  }

  void toRts(Map<QpSetting, Integer> settings) {
    QpBringUp.toRts(qp, attributes(settings));
  }

  /** As {@link Action.Modify}. */
  void modify(QpState state, Map<QpSetting, Integer> settings) {
    QpAttr attr = attributes(settings);
    int mask = QpSetting.mask(settings);
    if (state != null) {
      attr.qpState(state);
      mask |= QpAttrMask.STATE | QpBringUp.needed(qp.qpType(), state) & attr.mask();
    }
    qp.modify(attr, mask);
  }

  private QpAttr attributes(Map<QpSetting, Integer> settings) {
    QpAttr attr = QpBringUp.attributes().pathMtu(Mtu.MTU_256);
    if (peer != null && qp.qpType() != QpType.UD) {
      attr.ahAttr(AhAttr.roce(peer.device.gid(), 0)).destQpNum(peer.number());
    }
    QpSetting.apply(settings, attr);
    return attr;
  }

  // ---- posting

  /**
   * As {@link Action.Send}.
   *
   * @param to destination; null: none that it knows
   */
  void post(Action.Send send, LabEnd to) {
    boolean named = qp.qpType() == QpType.UD || qp.qpType() == QpType.XRC_SEND;
    if (named && to == null) {
      requirePeer();
    }
    if (!named && !send.to().isEmpty()) {
      throw Quantity.refuse("%s: %s sends to its peer alone: leave out to", name, qp.qpType());
    }
    if (qp.qpType() != QpType.XRC_SEND) {
      requireNoQueue(send.queue());
    }
    try (SendRequestList list = list(WrOpcode.SEND, send.immediate())) {
      if (qp.qpType() == QpType.UD) {
        AddressHandle handle = device.pd().createAh(AhAttr.roce(to.device.gid(), 0));
        list.ud(handle, to.number(), QpBringUp.QKEY);
      } else if (qp.qpType() == QpType.XRC_SEND) {
        list.xrc(to.sharedQueue(send.queue()).srqNum());
      }
      post(list, send.payload(), send.text());
    }
  }

  void post(Action.Write write) {
    try (SendRequestList list = list(WrOpcode.RDMA_WRITE, write.immediate())) {
      list.remote(write.at(), key);
      nameQueue(list);
      post(list, write.payload(), write.text());
    }
  }

  void post(Action.Read read) {
    try (SendRequestList list = list(WrOpcode.RDMA_READ, null)) {
      list.remote(read.at(), key);
      nameQueue(list);
      post(list, read.into(), read.bytes(), read.text());
    }
  }

  void post(Action.Atomic atomic) {
    try (SendRequestList list = list(atomic.kind(), null)) {
      list.atomic(atomic.at(), key, atomic.compareAdd(), atomic.swap());
      nameQueue(list);
      post(list, atomic.into(), Long.BYTES, atomic.text());
    }
  }

  /** XRC's access to memory, too, names a shared receive queue. */
  private void nameQueue(SendRequestList list) {
    if (qp.qpType() == QpType.XRC_SEND) {
      list.xrc(requirePeer().sharedQueue(0).srqNum());
    }
  }

  private SharedReceiveQueue sharedQueue(int index) {
    if (queues.isEmpty()) {
      throw Quantity.refuse(
          "%s is %s, no target of XRC, and has no shared receive queues: connect makes targets",
          name, qp.qpType());
    }
    return queues.get(index);
  }

  private void requireNoQueue(int index) {
    if (index != 0) {
      throw Quantity.refuse("%s is %s: only XRC has a choice of queues", name, qp.qpType());
    }
  }

  private SendRequestList list(WrOpcode opcode, Integer immediate) {
    SendRequestList list = new SendRequestList(1, 1, 0);
    list.add().wrId(log.action()).flags(SendFlags.SIGNALED);
    if (immediate == null) {
      return list.opcode(opcode);
    }
    WrOpcode with = opcode == WrOpcode.SEND ? WrOpcode.SEND_WITH_IMM : WrOpcode.RDMA_WRITE_WITH_IMM;
    return list.opcode(with).immediate(immediate);
  }

  private void post(SendRequestList list, Action.Payload payload, String text) {
    device.put(payload.from(), payload.text());
    post(list, payload.from(), payload.bytes(), text);
  }

  private void post(SendRequestList list, int at, int bytes, String text) {
    qp.postSendOrThrow(bytes == 0 ? list : list.sge(device.region(), at, bytes));
    sends.put((long) log.action(), text);
  }

  void post(Action.Receive receive) {
    if (queues.isEmpty()) {
      requireNoQueue(receive.queue());
    }
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      list.add().wrId(log.action()).sge(device.region(), receive.into(), receive.bytes());
      if (queues.isEmpty()) {
        qp.postRecvOrThrow(list);
      } else {
        queues.get(receive.queue()).postRecvOrThrow(list);
      }
    }
    receives.put((long) log.action(), receive.text());
  }

  /** Removes a completed request and returns its action. */
  String took(long wrId) {
    String send = sends.remove(wrId);
    return send == null ? receives.remove(wrId) : send;
  }

  LabEnd requirePeer() {
    if (peer == null) {
      throw Quantity.refuse("%s has no peer yet: connect it, or modify it with peer=NAME", name);
    }
    return peer;
  }
}
