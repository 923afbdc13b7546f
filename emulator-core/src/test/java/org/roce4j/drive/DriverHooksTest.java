package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.wire.Opcode;

/** When the hooks of events run that a turn has raised: after it, without an engine, once. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DriverHooksTest {
  @AutoClose private final Arena arena = Arena.ofShared();
  private PlayedDevice played;

  private void open(int engines) {
    played = new PlayedDevice(true, engines, 1, EngineTrace.NONE);
  }

  /** A hook may wait for a thread that wants any engine of the device. */
  @Test
  void hooksRunWhenNoEngineIsHeld() {
    open(2);
    for (int engine = 0; engine < 2; engine++) {
      List<Boolean> done = new ArrayList<>();
      CompletionChannel channel = played.context.createCompletionChannel();
      CompletionQueue cq = played.context.createCq(4, null, channel, engine);
      QueuePair told =
          played
              .context
              .allocPd()
              .createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(4, 4, 1, 1, 0)));
      QpBringUp.to(QpState.INIT, told, QpBringUp.attributes().qpAccessFlags(0));
      assertEquals(0, told.postRecv(new RecvRequestList(arena, 1, 1).add()));
      cq.requestNotification(false);
      channel.onEvent(
          () ->
              played
                  .driver
                  .each()
                  .forEach(
                      each -> {
                        Thread other = Thread.ofPlatform().start(() -> each.exclusively(() -> {}));
                        done.add(PlayedDevice.ended(other, Duration.ofSeconds(20)));
                      }));
      told.modify(new QpAttr().qpState(QpState.ERR));
      assertEquals(List.of(true, true), done);
    }
  }

  /** A completion tells its channel, also if a request was posted in the same turn. */
  @Test
  void aHookRunsAlsoWhenAnotherTurnFollows() {
    open(1);
    AtomicInteger told = new AtomicInteger();
    QueuePair qp = telling(told::incrementAndGet);
    PlayedPort port = played.port();
    port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 0, 0);
    port.whenAsked = () -> PlayedDevice.asAnother(() -> played.post(qp, 1));
    played.driver.each().getFirst().advance();
    assertEquals(2, port.sent.get(), "the acknowledgement, and the request posted meanwhile");
    assertEquals(1, told.get());
  }

  /** Each of the turns that one release takes has its own. */
  @Test
  void hooksOfSeveralTurnsAllRun() {
    open(1);
    List<String> told = new ArrayList<>();
    QueuePair first = telling(() -> told.add("first"));
    QueuePair second = telling(() -> told.add("second"));
    PlayedPort port = played.port();
    port.mostAtOnce = 1;
    port.arrives(Opcode.RC_SEND_ONLY, first.qpNum(), 0, 0);
    port.whenAsked = () -> PlayedDevice.asAnother(() -> played.post(first, 1));
    port.whenSent =
        () -> {
          port.whenSent = () -> {};
          port.arrives(Opcode.RC_SEND_ONLY, second.qpNum(), 0, 0);
          PlayedDevice.asAnother(() -> played.post(first, 1));
        };
    played.driver.each().getFirst().advance();
    assertEquals(List.of("first", "second"), told);
  }

  /** A queue pair with one receive, whose completion runs a hook. */
  private QueuePair telling(Runnable hook) {
    CompletionChannel channel = played.context.createCompletionChannel();
    channel.onEvent(hook);
    CompletionQueue cq = played.context.createCq(2 * PlayedDevice.DEPTH, null, channel, 0);
    QueuePair qp = PlayedDevice.connected(cq);
    cq.requestNotification(false);
    assertEquals(0, qp.postRecv(new RecvRequestList(arena, 1, 1).add()));
    return qp;
  }
}
