package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * A thread on a virtual network that repeats a call until something has changed, without polling a
 * completion queue or waiting, delays nobody, including itself.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RepeatedCallsTest {
  private static final int NOBODYS_KEY = 0x1234;

  /** The call. */
  enum Call {
    QUERY(end -> end.qp().query()),
    REFUSED_MODIFY(
        end -> {
          try {
            end.qp().modify(new QpAttr().qpState(QpState.RESET).timeout(1));
          } catch (VerbsException refused) {
            assertEquals(Errno.EINVAL, refused.errno());
          }
        }),
    REGISTER(end -> end.pd().registerMemory(end.memory(), AccessFlags.LOCAL_WRITE).close()),
    COUNTERS(end -> end.context().counters()),
    ASYNC_EVENT(
        end -> {
          AsyncEvent event = end.context().pollAsyncEvent();
          if (event != null) {
            event.ack();
          }
        }),
    COMPLETION_EVENT(end -> end.channel().getCqEvent(0));

    private final Consumer<RdmaEnd> on;

    Call(Consumer<RdmaEnd> on) {
      this.on = on;
    }
  }

  @ParameterizedTest
  @EnumSource
  @EmulatedRdma
  void theOnlyThreadSeesTheChange(Call call, Context near, Context far) {
    try (RdmaEnd here = new RdmaEnd(near, QpType.RC);
        RdmaEnd there = new RdmaEnd(far, QpType.RC)) {
      fail(here, there);
      while (here.qp().state() != QpState.ERR) {
        call.on.accept(here);
      }
      assertEquals(WcStatus.REM_ACCESS_ERR, here.next().status());
    }
  }

  @ParameterizedTest
  @EnumSource
  @EmulatedRdma
  void anotherThreadThatWaitsGoesOn(Call call, Context near, Context far) throws Exception {
    try (RdmaEnd here = new RdmaEnd(near, QpType.RC);
        RdmaEnd there = new RdmaEnd(far, QpType.RC)) {
      AtomicBoolean over = new AtomicBoolean();
      Thread repeats =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    while (!over.get()) {
                      call.on.accept(there);
                    }
                  });
      try {
        here.cq().requestNotification(false);
        fail(here, there);
        here.channel().getCqEvent().ackEvents(1);
        assertEquals(WcStatus.REM_ACCESS_ERR, here.next().status());
      } finally {
        over.set(true);
      }
      repeats.join();
    }
  }

  /** Posts a request whose NAK moves the queue pair to ERR. */
  private static void fail(RdmaEnd here, RdmaEnd there) {
    RdmaEnd.connect(here, there, attributes -> {});
    here.qp().postSendOrThrow(here.request(1, WrOpcode.RDMA_WRITE, 0, 8).remote(0, NOBODYS_KEY));
  }
}
