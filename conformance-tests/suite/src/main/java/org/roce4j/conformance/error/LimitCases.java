package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.INIT;
import static org.roce4j.verbs.QpState.SQD;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WrOpcode;

/** Objects and requests beyond a limit of the device or of a queue. */
final class LimitCases extends Cases {
  private static final String SOURCE = "verbs-tables 7";

  /** Creates one more object of a kind. */
  private interface Maker {
    AutoCloseable one(Context context, ProtectionDomain pd);
  }

  @Override
  void collect() {
    objects("PD", "Protection domains", "max-pd", DeviceAttr::maxPd, (c, pd) -> c.allocPd()::close);
    objects(
        "CQ", "Completion queues", "max-cq", DeviceAttr::maxCq, (c, pd) -> c.createCq(1)::close);
    objects(
        "QP",
        "Queue pairs",
        "max-qp",
        DeviceAttr::maxQp,
        new Maker() {
          private CompletionQueue cq;

          @Override
          public AutoCloseable one(Context context, ProtectionDomain pd) {
            if (cq == null || cq.context() != context) {
              cq = context.createCq(1);
            }
            return pd.createQp(
                    new QpInitAttr()
                        .qpType(QpType.RC)
                        .cq(cq)
                        .cap(new QpCapabilities(1, 1, 1, 1, 0)))
                ::close;
          }
        });
    objects(
        "SRQ",
        "Shared receive queues",
        "max-srq",
        DeviceAttr::maxSrq,
        (context, pd) -> pd.createSrq(new SrqInitAttr(1, 1))::close);
    objects(
        "MR",
        "Memory regions",
        "max-mr",
        DeviceAttr::maxMr,
        (context, pd) -> pd.registerMemory(Arena.ofAuto().allocate(64), 0)::close);
    objects(
        "MW",
        "Memory windows",
        "max-mw",
        DeviceAttr::maxMw,
        (context, pd) -> pd.allocMemoryWindow(MwType.TYPE_2)::close);
    objects(
        "AH",
        "Address handles",
        "max-ah",
        DeviceAttr::maxAh,
        (context, pd) -> pd.createAh(AhAttr.roce(context.queryGid(1, 0), 0))::close);
    multicast();
    queues();
  }

  private static ErrorCase refused(String id, String cause, ErrorCase.Provocation provocation) {
    return ErrorCase.of(Chapter.LIMITS, "LIMIT-" + id, SOURCE, cause, provocation)
        .requester(null, null)
        .responder(null, null)
        .refused(Errno.ENOMEM);
  }

  private void objects(
      String id, String what, String setting, ToIntFunction<DeviceAttr> limit, Maker maker) {
    add(
        refused(
            id,
            what + " of a device (`limits." + setting + "`), all contexts together",
            bench -> {
              bench.need(Capability.SMALL_DEVICE);
              Context first = bench.link().small();
              Context second = bench.link().small();
              ProtectionDomain pd = first.allocPd();
              ProtectionDomain other = second.allocPd();
              int most = limit.applyAsInt(first.queryDevice());
              Deque<AutoCloseable> made = new ArrayDeque<>();
              int before = id.equals("PD") ? 2 : 0;
              for (int i = before; i < most; i++) {
                made.add(i % 2 == 0 ? maker.one(first, pd) : maker.one(second, other));
              }
              Expect.refused(Errno.ENOMEM, () -> maker.one(first, pd));
              Expect.refused(Errno.ENOMEM, () -> maker.one(second, other));
              close(made.remove());
              made.add(maker.one(first, pd));
              Expect.refused(Errno.ENOMEM, () -> maker.one(first, pd));
              return null;
            }));
  }

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("closing throws no checked exception", e);
    }
  }

  private void multicast() {
    add(
        refused(
            "MCAST_GROUPS",
            "Multicast groups of a device (`limits.max-mcast-groups`)",
            bench -> {
              QueuePair qp = datagrams(bench, 1)[0];
              int most = qp.context().queryDevice().maxMcastGroups();
              for (int i = 0; i < most; i++) {
                qp.attachMulticast(group(qp, i));
              }
              Expect.refused(Errno.ENOMEM, () -> qp.attachMulticast(group(qp, most)));
              qp.detachMulticast(group(qp, 0));
              qp.attachMulticast(group(qp, most));
              for (int i = 1; i <= most; i++) {
                qp.detachMulticast(group(qp, i));
              }
              return null;
            }));
    add(
        refused(
            "MCAST_ATTACH",
            "Queue pairs of a multicast group (`limits.max-mcast-qp-attach`)",
            bench -> {
              bench.need(Capability.SMALL_DEVICE);
              int most = bench.link().small().queryDevice().maxMcastQpAttach();
              QueuePair[] members = datagrams(bench, most + 1);
              Gid group = group(members[0], 0);
              for (int i = 0; i < most; i++) {
                members[i].attachMulticast(group);
              }
              Expect.refused(Errno.ENOMEM, () -> members[most].attachMulticast(group));
              members[0].detachMulticast(group);
              members[most].attachMulticast(group);
              for (int i = 1; i <= most; i++) {
                members[i].detachMulticast(group);
              }
              return null;
            }));
  }

  /** A multicast group in the address family of the queue pair's device. */
  private static Gid group(QueuePair qp, int number) {
    boolean ipv4 = qp.context().queryGid(1, 0).isIpv4Mapped();
    return Gid.parse((ipv4 ? "239.1.2." : "ff15::") + (number + 1));
  }

  private static QueuePair[] datagrams(Bench bench, int count) {
    bench.need(Capability.SMALL_DEVICE);
    Context context = bench.link().small();
    ProtectionDomain pd = context.allocPd();
    CompletionQueue cq = context.createCq(1);
    QueuePair[] queuePairs = new QueuePair[count];
    for (int i = 0; i < count; i++) {
      queuePairs[i] =
          pd.createQp(
              new QpInitAttr().qpType(QpType.UD).cq(cq).cap(new QpCapabilities(1, 1, 1, 1, 0)));
      queuePairs[i].modify(new QpAttr().qpState(INIT).pkeyIndex(0).portNum(1).qkey(1));
    }
    return queuePairs;
  }

  // ---- queues

  /**
   * Posts until a request is refused with ENOMEM, which must happen after {@code room} requests.
   */
  private static void fill(int room, IntSupplier post) {
    int posted = 0;
    int errno = post.getAsInt();
    while (errno == 0 && posted <= room) {
      posted++;
      errno = post.getAsInt();
    }
    Expect.equal("the errno of posting", Errno.ENOMEM.number(), errno);
    Expect.equal("requests posted before", room, posted);
  }

  private void queues() {
    add(
        refused(
            "SEND_QUEUE",
            "Requests of a send queue: max_send_wr, whatever is signaled",
            bench -> {
              QueuePair qp = bench.near(QpType.RC, SQD);
              fill(qp.cap().maxSendWr(), () -> qp.postSend(remote(bench, WrOpcode.RDMA_WRITE)));
              return null;
            }));
    add(
        refused(
            "RECEIVE_QUEUE",
            "Requests of a receive queue: max_recv_wr",
            bench -> {
              QueuePair qp = bench.near(QpType.RC, INIT);
              Station near = bench.near();
              fill(
                  qp.cap().maxRecvWr(),
                  () -> qp.postRecv(near.receive(1).sge(near.region(), 0, BYTES)));
              return null;
            }));
    add(
        refused(
            "SHARED_QUEUE",
            "Requests of a shared receive queue: max_wr",
            bench -> {
              Station near = bench.near();
              SharedReceiveQueue srq = near.pd().createSrq(new SrqInitAttr(5, 1));
              fill(
                  srq.query().maxWr(),
                  () -> srq.postRecv(near.receive(1).sge(near.region(), 0, BYTES)));
              return null;
            }));
  }
}
