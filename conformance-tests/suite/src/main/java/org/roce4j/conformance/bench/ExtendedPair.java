package org.roce4j.conformance.bench;

import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * An extended reliable connection from the near station to the far one, both in RTS.
 *
 * @param srq shared receive queue of the far station, in the domain, with the station's completion
 *     queue
 */
public record ExtendedPair(
    Bench bench, QueuePair near, QueuePair far, XrcDomain domain, SharedReceiveQueue srq) {
  /**
   * A new pair.
   *
   * @param receives number of requests in the queue
   * @param bytes length of each
   * @throws RowSkipped if one of the devices has no XRC
   */
  public static ExtendedPair of(Bench bench, int receives, int bytes) {
    return of(bench, receives, bytes, Bench.attributes().rnrRetry(1));
  }

  /** A new pair with these attributes of the near queue pair. */
  public static ExtendedPair of(Bench bench, int receives, int bytes, QpAttr nearValues) {
    bench.needOfBoth(DeviceCapFlags.XRC);
    Station far = bench.far();
    Station near = bench.near();
    XrcDomain domain = far.context().openXrcd(new XrcdInitAttr());
    SharedReceiveQueue srq = srq(far, domain, far.pd(), far.cq());
    QueuePair target =
        far.context().createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(domain));
    QueuePair initiator =
        near.context()
            .createQp(
                new QpInitAttr()
                    .qpType(QpType.XRC_SEND)
                    .pd(near.pd())
                    .sendCq(near.cq())
                    .cap(near.qpInit(QpType.XRC_SEND).cap()));
    bench.connect(initiator, target, nearValues, Bench.attributes());
    ExtendedPair pair = new ExtendedPair(bench, initiator, target, domain, srq);
    for (int i = 0; i < receives; i++) {
      Expect.posts(srq, far.receive(100L + i).sge(far.region(), Station.BYTES / 2, bytes));
    }
    return pair;
  }

  /** Another shared receive queue of a domain. */
  public static SharedReceiveQueue srq(
      Station station, XrcDomain domain, ProtectionDomain pd, CompletionQueue cq) {
    return station
        .context()
        .createSrq(
            new SrqInitAttrEx().srqType(SrqType.XRC).pd(pd).xrcd(domain).cq(cq).maxWr(8).maxSge(1));
  }

  /** A request to the queue, without its operands. */
  public SendRequestList request(long wrId, WrOpcode opcode) {
    return bench.near().send(wrId, opcode).xrc(srq.srqNum());
  }

  /** A SEND of {@code bytes} to a shared receive queue. */
  public SendRequestList send(long wrId, int srqn, int bytes) {
    Station from = bench.near();
    return from.send(wrId, WrOpcode.SEND).xrc(srqn).sge(from.region(), 0, bytes);
  }

  /** Posts it, and it completes with this status. */
  public void completes(SendRequestList request, long wrId, WcStatus status) {
    Expect.posts(near, request);
    bench.completes(bench.near(), wrId, status);
  }
}
