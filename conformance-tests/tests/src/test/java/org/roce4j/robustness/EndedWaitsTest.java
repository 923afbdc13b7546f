package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.connect.MessageEnd;
import org.roce4j.connect.RcPair;
import org.roce4j.connect.UdPair;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/**
 * A thread that waits in a verb is woken by the call that ends its wait. Nothing else would wake
 * it, because the periodic check comes only after minutes.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndedWaitsTest {
  /** Waits for the peer without limit. */
  private static final ConnectionOptions PATIENT =
      ConnectionOptions.DEFAULT
          .withTimeout(Duration.ofMinutes(10))
          .withAttributes(attributes -> attributes.timeout(0));

  /** A thread in a verb. */
  private static final class Waiter {
    private final Thread thread;
    private volatile Errno errno;

    Waiter(Runnable verb) {
      thread = Thread.ofPlatform().daemon().start(() -> call(verb));
      Poll.until(this::sleeps);
    }

    private void call(Runnable verb) {
      try {
        verb.run();
      } catch (VerbsException e) {
        errno = e.errno();
      }
    }

    /** A leader sleeps in the port's system call. */
    private boolean sleeps() {
      return Arrays.stream(thread.getStackTrace())
          .anyMatch(
              frame ->
                  frame.getMethodName().equals("parkNanos")
                      || frame.getMethodName().equals("ppoll"));
    }

    void isWokenAndGets(Errno expected) throws InterruptedException {
      thread.join(20_000);
      assertFalse(thread.isAlive(), "nobody woke the thread");
      assertEquals(expected, errno);
    }
  }

  private static QueuePair failed(ProtectionDomain pd, CompletionQueue cq, SharedReceiveQueue srq) {
    QpCapabilities few = new QpCapabilities(1, 1, 1, 1, 0);
    QueuePair qp = pd.createQp(new QpInitAttr().cq(cq).srq(srq).cap(few));
    QpBringUp.to(QpState.INIT, qp, QpBringUp.attributes());
    qp.modify(new QpAttr().qpState(QpState.ERR));
    return qp;
  }

  @ParameterizedTest
  @CsvSource({"linux,1", "netty,1", "linux,4"})
  void whoWaitsForAnAsyncEventIsWokenWhenTheContextCloses(String transport, int engines)
      throws InterruptedException {
    try (UnattendedDevice device = new UnattendedDevice(transport, engines)) {
      Context context = device.open();
      Waiter waiter = new Waiter(context::getAsyncEvent);
      context.close(); // without objects, whose destruction would wake the thread
      waiter.isWokenAndGets(Errno.ENODEV);
    }
  }

  @ParameterizedTest
  @CsvSource({"linux,1", "netty,1", "linux,4"})
  void whoClosesADeviceStaysInterrupted(String transport, int engines) {
    UnattendedDevice device = new UnattendedDevice(transport, engines);
    Thread.currentThread().interrupt();
    device.close();
    assertTrue(Thread.interrupted());
  }

  @ParameterizedTest
  @CsvSource({"linux,1", "netty,1", "linux,4"})
  void whoWaitsForACompletionIsWokenWhenTheChannelCloses(String transport, int engines)
      throws InterruptedException {
    try (UnattendedDevice device = new UnattendedDevice(transport, engines);
        Context context = device.open()) {
      CompletionChannel channel = context.createCompletionChannel();
      Waiter waiter = new Waiter(channel::getCqEvent);
      channel.close();
      waiter.isWokenAndGets(Errno.EINVAL);
    }
  }

  @ParameterizedTest
  @CsvSource({"linux,1", "netty,1", "linux,4"})
  void whoDestroysACompletionQueueIsWokenByTheAcknowledgementOfItsEvent(
      String transport, int engines) throws InterruptedException {
    try (UnattendedDevice device = new UnattendedDevice(transport, engines);
        Context context = device.open();
        SendRequestList flushed = new SendRequestList(1, 1, 0)) {
      CompletionChannel channel = context.createCompletionChannel();
      CompletionQueue cq = context.createCq(4, null, channel, 0);
      QueuePair qp = failed(context.allocPd(), cq, null);
      cq.requestNotification(false);
      qp.postSendOrThrow(flushed.add().opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED));
      assertEquals(cq, channel.getCqEvent());
      qp.close();
      Waiter waiter = new Waiter(cq::close);
      cq.ackEvents(1);
      waiter.isWokenAndGets(null);
    }
  }

  @ParameterizedTest
  @CsvSource({"linux,1", "netty,1", "linux,4"})
  void whoDestroysAQueuePairIsWokenByTheAcknowledgementOfItsEvent(String transport, int engines)
      throws InterruptedException {
    try (UnattendedDevice device = new UnattendedDevice(transport, engines);
        Context context = device.open()) {
      ProtectionDomain pd = context.allocPd();
      SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
      QueuePair qp = failed(pd, context.createCq(4), srq); // LAST_WQE_REACHED
      AsyncEvent event = context.getAsyncEvent();
      Waiter waiter = new Waiter(qp::close);
      event.ack();
      waiter.isWokenAndGets(null);
    }
  }

  /** An event channel of two devices: its thread waits in the first. */
  @ParameterizedTest
  @CsvSource({"linux,1,0", "linux,1,1", "netty,1,0", "netty,1,1", "linux,4,1"})
  void whoWaitsForAnEventOfIdsIsWokenByEachDevice(String transport, int engines, int reporting)
      throws InterruptedException {
    try (UnattendedDevice one = new UnattendedDevice(transport, engines);
        UnattendedDevice two = new UnattendedDevice(transport, engines);
        Context first = one.open();
        Context second = two.open();
        RdmaCm cm = RdmaCm.open(first, second)) {
      EventChannel channel = cm.createEventChannel();
      Context by = List.of(first, second).get(reporting);
      CmId id = channel.createId(PortSpace.TCP);
      id.bindAddr(new InetSocketAddress(by.queryGid(1, 0).toInetAddress(), 7471));
      Waiter waiter = new Waiter(() -> channel.getCmEvent().ack());
      by.close(); // DEVICE_REMOVAL
      waiter.isWokenAndGets(null);
      id.close();
    }
  }

  /** The first device of the channel may be gone: the thread waits in the second. */
  @ParameterizedTest
  @CsvSource({
    "linux,1,false",
    "netty,1,false",
    "linux,4,false",
    "linux,1,true",
    "netty,1,true",
    "linux,4,true"
  })
  void whoWaitsForAnEventOfIdsIsWokenWhenTheChannelCloses(
      String transport, int engines, boolean gone) throws InterruptedException {
    try (UnattendedDevice one = new UnattendedDevice(transport, engines);
        UnattendedDevice two = new UnattendedDevice(transport, engines);
        Context second = two.open()) {
      Context first = one.open();
      try (RdmaCm cm = RdmaCm.open(first, second)) {
        EventChannel channel = cm.createEventChannel();
        if (gone) {
          first.close();
        }
        Waiter waiter = new Waiter(channel::getCmEvent);
        channel.close();
        waiter.isWokenAndGets(Errno.EINVAL);
      }
      first.close();
    }
  }

  /** The peer sends nothing and has room for few messages. */
  @ParameterizedTest
  @CsvSource({"linux,1", "netty,1", "linux,4"})
  void whoWaitsForMessagesIsWokenWhenTheEndCloses(String transport, int engines)
      throws InterruptedException {
    try (UnattendedDevice here = new UnattendedDevice(transport, engines);
        UnattendedDevice there = new UnattendedDevice(transport, engines);
        Context context = here.open();
        Context peer = there.open();
        RcPair connected = RcPair.connect(context, peer, PATIENT);
        RcPair other = RcPair.connect(context, peer, PATIENT);
        UdPair datagrams = UdPair.connect(context, peer, PATIENT)) {
      wakes(connected.client(), connected.client()::receive);
      wakes(other.client(), () -> sendEndlessly(other.client()));
      wakes(datagrams.client(), datagrams.client()::receive);
    }
  }

  private static void sendEndlessly(MessageEnd end) {
    while (true) {
      end.send("x");
    }
  }

  private static void wakes(MessageEnd end, Runnable verb) throws InterruptedException {
    Waiter waiter = new Waiter(verb);
    end.close();
    waiter.isWokenAndGets(Errno.ENOTCONN);
  }
}
