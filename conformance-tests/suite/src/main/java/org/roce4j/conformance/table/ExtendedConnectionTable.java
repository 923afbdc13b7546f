package org.roce4j.conformance.table;

import java.util.List;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.BenchCompletion;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.ExtendedPair;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** Extended reliable connections: who is named by a message, and who lives how long. */
public final class ExtendedConnectionTable extends RowTable {
  private static final String SOURCE = "rc-transport 9; the manual of libibverbs";
  private static final int BYTES = 64;

  private ExtendedConnectionTable() {
    super("XRC-", SOURCE);
  }

  /** All rows; no {@code Covers}, for no software device but ours has any of it. */
  public static List<Row> rows() {
    ExtendedConnectionTable table = new ExtendedConnectionTable();
    table.operations();
    table.row(
        "NAMED",
        "each message is received with the queue and completed in the queue that it names",
        ExtendedConnectionTable::named);
    table.row(
        "SHARED",
        "two target queue pairs of a domain deliver to one queue",
        ExtendedConnectionTable::shared);
    table.lives();
    table.refusals();
    return table.rows;
  }

  private void operations() {
    for (WrOpcode opcode :
        List.of(
            WrOpcode.SEND,
            WrOpcode.SEND_WITH_IMM,
            WrOpcode.RDMA_WRITE,
            WrOpcode.RDMA_WRITE_WITH_IMM,
            WrOpcode.RDMA_READ,
            WrOpcode.ATOMIC_CMP_AND_SWP,
            WrOpcode.ATOMIC_FETCH_AND_ADD)) {
      row(
          "OPCODE-" + opcode,
          opcode + " to a shared receive queue of the domain succeeds",
          bench -> {
            ExtendedPair pair = ExtendedPair.of(bench, 1, BYTES);
            pair.completes(filled(bench, pair, opcode), 1, WcStatus.SUCCESS);
          });
    }
  }

  private static SendRequestList filled(Bench bench, ExtendedPair pair, WrOpcode opcode) {
    Station near = bench.near();
    long there = bench.far().region().address();
    int rkey = bench.far().region().rkey();
    SendRequestList request = pair.request(1, opcode);
    return switch (opcode) {
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
          request.atomic(there, rkey, 1, 2).sge(near.region(), 0, 8);
      case SEND -> request.sge(near.region(), 0, BYTES);
      case SEND_WITH_IMM -> request.immediate(7).sge(near.region(), 0, BYTES);
      case RDMA_WRITE_WITH_IMM ->
          request.remote(there, rkey).immediate(7).sge(near.region(), 0, BYTES);
      default -> request.remote(there, rkey).sge(near.region(), 0, BYTES);
    };
  }

  private static void named(Bench bench) {
    ExtendedPair pair = ExtendedPair.of(bench, 1, BYTES);
    Station far = bench.far();
    CompletionQueue cq = far.context().createCq(4);
    SharedReceiveQueue second = ExtendedPair.srq(far, pair.domain(), far.pd(), cq);
    Expect.that(second.srqNum() != pair.srq().srqNum(), "one number for two queues");
    Expect.posts(second, far.receive(7).sge(far.region(), 0, BYTES));
    pair.completes(pair.send(1, second.srqNum(), BYTES), 1, WcStatus.SUCCESS);
    BenchCompletion[] received = new BenchCompletion[1];
    bench.link().await(() -> (received[0] = far.poll(cq)) != null, Bench.SOON_NS);
    Expect.that(received[0] != null, "nothing in the completion queue of the named queue");
    Expect.equal("the receive", 7L, received[0].wrId());
    Expect.equal("the queue pair", pair.far().qpNum(), received[0].qpNum());
    bench.nothing(far);
    pair.completes(pair.send(2, pair.srq().srqNum(), BYTES), 2, WcStatus.SUCCESS);
    bench.completes(far, 100, WcStatus.SUCCESS);
  }

  private static void shared(Bench bench) {
    ExtendedPair pair = ExtendedPair.of(bench, 2, BYTES);
    Station far = bench.far();
    QueuePair target =
        far.context().createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(pair.domain()));
    Station near = bench.near();
    QueuePair initiator =
        near.context()
            .createQp(
                new QpInitAttr()
                    .qpType(QpType.XRC_SEND)
                    .pd(near.pd())
                    .sendCq(near.cq())
                    .cap(pair.near().cap()));
    bench.connect(initiator, target, Bench.attributes(), Bench.attributes());
    pair.completes(pair.send(1, pair.srq().srqNum(), BYTES), 1, WcStatus.SUCCESS);
    Expect.posts(initiator, pair.send(2, pair.srq().srqNum(), BYTES));
    bench.completes(near, 2, WcStatus.SUCCESS);
    Expect.equal("the first", pair.far().qpNum(), bench.completion(far).qpNum());
    Expect.equal("the second", target.qpNum(), bench.completion(far).qpNum());
  }

  private void lives() {
    row(
        "OPENED",
        "a target queue pair lives until the last of its handles is closed",
        bench -> {
          ExtendedPair pair = ExtendedPair.of(bench, 1, BYTES);
          QueuePair handle =
              bench.far().context().openQp(new QpOpenAttr(pair.far().qpNum(), pair.domain()));
          Expect.equal("the number", pair.far().qpNum(), handle.qpNum());
          Expect.equal("the state", QpState.RTS, handle.state());
          pair.far().close();
          pair.completes(pair.send(1, pair.srq().srqNum(), BYTES), 1, WcStatus.SUCCESS);
          Expect.refused(Errno.EBUSY, pair.domain()::close);
          handle.close();
          Expect.refused(
              Errno.EINVAL,
              () -> bench.far().context().openQp(new QpOpenAttr(handle.qpNum(), pair.domain())));
        });
    row(
        "DOMAIN",
        "a domain is closed when nothing of it is left",
        bench -> {
          ExtendedPair pair = ExtendedPair.of(bench, 0, BYTES);
          Expect.refused(Errno.EBUSY, pair.domain()::close);
          pair.far().close();
          Expect.refused(Errno.EBUSY, pair.domain()::close);
          pair.srq().close();
          pair.domain().close();
        });
  }

  private void refusals() {
    row(
        "PLAIN_NUMBER",
        "a shared receive queue of another type has no number",
        bench -> {
          bench.needOfBoth(DeviceCapFlags.XRC);
          SharedReceiveQueue plain = bench.near().pd().createSrq(new SrqInitAttr(1, 1));
          Expect.refused(Errno.EINVAL, plain::srqNum);
          plain.close();
        });
    row(
        "POSTING",
        "a target queue pair takes no requests, an initiator no receives",
        bench -> {
          ExtendedPair pair = ExtendedPair.of(bench, 0, BYTES);
          Station far = bench.far();
          Expect.posted(Errno.EINVAL, pair.far().postSend(far.send(1, WrOpcode.SEND).xrc(1)));
          Expect.posted(Errno.EINVAL, pair.far().postRecv(far.receive(1)));
          Expect.posted(Errno.EINVAL, pair.near().postRecv(bench.near().receive(1)));
        });
    row(
        "PARTS",
        "a target queue pair needs a domain, an initiator a protection domain and a queue",
        bench -> {
          bench.needOfBoth(DeviceCapFlags.XRC);
          Station near = bench.near();
          for (QpInitAttr attr :
              List.of(
                  new QpInitAttr().qpType(QpType.XRC_RECV),
                  new QpInitAttr().qpType(QpType.XRC_SEND).sendCq(near.cq()),
                  new QpInitAttr().qpType(QpType.XRC_SEND).pd(near.pd()))) {
            Expect.refused(Errno.EINVAL, () -> near.context().createQp(attr));
          }
          XrcDomain domain = near.context().openXrcd(new XrcdInitAttr());
          domain.close();
          Expect.refused(
              Errno.EINVAL,
              () -> near.context().createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(domain)));
        });
  }
}
