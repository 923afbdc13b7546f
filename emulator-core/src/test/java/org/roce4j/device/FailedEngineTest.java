package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** A device of two engines: a defect makes the first one fail. */
class FailedEngineTest {
  /** Stands among the numbers of engines for the program's hook. */
  private static final int PROGRAM = -1;

  private final Device device = LoneEngine.ofEngines(2, Gid.parse("10.0.0.1"));
  private final List<Integer> asked = new ArrayList<>();
  private final Context context;
  private final ProtectionDomain pd;
  private final WorkCompletions done = new WorkCompletions(Arena.ofAuto(), 8);

  FailedEngineTest() {
    device.attach(PortControl.NONE, Progress.NONE, List.of(new Asked(0), new Asked(1)));
    context = EmulatedContext.open(device, () -> {});
    pd = context.allocPd();
  }

  /** Notes that an engine is to run. */
  private final class Asked extends Progress.Idle {
    private final int engine;

    Asked(int engine) {
      this.engine = engine;
    }

    @Override
    public void doorbell() {
      asked.add(engine);
    }
  }

  /** A queue pair of an engine with one receive. */
  private QueuePair receiving(int engine) {
    CompletionQueue cq = context.createCq(8, null, null, engine);
    QueuePair qp = pd.createQp(LoneEngine.init(QpType.RC, cq));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    qp.postRecvOrThrow(new RecvRequestList(Arena.ofAuto(), 1, 1).add());
    return qp;
  }

  private void isFlushed(QueuePair qp) {
    assertEquals(QpState.ERR, qp.state());
    assertEquals(1, qp.recvCq().poll(done));
    assertEquals(WcStatus.WR_FLUSH_ERR, done.status(0));
  }

  @Test
  void failsTheQueuePairsOfEachEngineAndTellsItOnce() {
    QueuePair own = receiving(0);
    QueuePair other = receiving(1);
    Engine failed = device.engine(0);
    failed.takeEventful();
    asked.clear();
    context.onAsyncEvent(() -> asked.add(PROGRAM));
    Throwable cause = new AssertionError("planted");
    failed.fail(cause);
    failed.fail(new AssertionError("a consequence"));
    assertSame(cause, failed.failure());
    assertSame(cause, device.engine(1).failure());
    isFlushed(own);
    assertTrue(failed.takeEventful(), "those that wait are woken");
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(EventType.DEVICE_FATAL, event.type());
    event.ack();
    assertNull(context.pollAsyncEvent());

    failed.takeHooks().forEach(Runnable::run);
    assertEquals(List.of(PROGRAM, 1), asked, "the other one gives up by itself");
    device.engine(1).giveUp(cause);
    isFlushed(other);
  }

  @Test
  void sendsAndAwaitsNothingMoreAndFlushesWhatIsPosted() {
    QueuePair qp = receiving(0);
    Engine engine = device.engine(0);
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.RDMA_WRITE);
    qp.postSendOrThrow(list);
    engine.handleDoorbells(0);
    assertTrue(engine.hasOutput());
    engine.fail(new AssertionError("planted"));
    assertFalse(engine.hasOutput());
    assertEquals(Deadlines.NEVER, engine.nextTimeout());
    assertEquals(2, qp.sendCq().poll(done));
    qp.postSendOrThrow(list);
    engine.handleDoorbells(0);
    assertEquals(1, qp.sendCq().poll(done));
    assertEquals(WcStatus.WR_FLUSH_ERR, done.status(0));
    qp.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 3, 15, 32})
  void noDeviceIsMadeWithAnotherNumberOfEnginesThanItCanHave(int engines) {
    assertFalse(Device.canHave(engines));
    VerbsException refused =
        assertThrows(
            VerbsException.class, () -> LoneEngine.ofEngines(engines, Gid.parse("10.0.0.1")));
    assertEquals(Errno.EINVAL, refused.errno());
  }
}
