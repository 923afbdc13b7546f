package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaVerbs;

/** The calls that wait for a completion of an id's own queues. */
@Timeout(60)
class CompletionsOfIdsTest extends CmRig {
  private final Arena arena = Arena.ofShared();
  private final WorkCompletions found = new WorkCompletions(arena, 4);
  private CmId active;
  private CmId passive;
  private MemoryRegion source;
  private MemoryRegion target;

  @BeforeEach
  void connect() {
    listening("10.0.0.2");
    Ends ends = connected("10.0.0.2");
    active = ends.active();
    passive = ends.passive();
    source = RdmaVerbs.regMsgs(active, arena.allocate(64));
    target = RdmaVerbs.regMsgs(passive, arena.allocate(64));
  }

  @AfterEach
  void free() {
    source.close();
    target.close();
    arena.close();
  }

  private void receive(long wrId) {
    RdmaVerbs.postRecv(passive, wrId, target.memory(), target);
  }

  private void send(long wrId, int bytes) {
    RdmaVerbs.postSend(active, wrId, source.memory().asSlice(0, bytes), source, SendFlags.SIGNALED);
  }

  private void received(long wrId, int bytes) {
    RdmaVerbs.getRecvComp(passive, found);
    assertEquals(wrId, found.wrId(0));
    assertEquals(WcOpcode.RECV, found.opcode(0));
    assertEquals(bytes, found.byteLength(0));
  }

  private void sent(long wrId) {
    RdmaVerbs.getSendComp(active, found);
    assertEquals(wrId, found.wrId(0));
    assertEquals(WcStatus.SUCCESS, found.status(0));
  }

  /** More often than the device keeps events, and an event for each, which ids must acknowledge. */
  @Test
  void aCallWaitsForTheNextCompletion() {
    for (int i = 0; i < 20; i++) {
      receive(100 + i);
      send(i, i);
      received(100 + i, i);
      sent(i);
    }
    active.close();
    passive.close();
  }

  @Test
  void aCallTakesOneCompletionOfSeveral() {
    for (int i = 0; i < 4; i++) {
      receive(100 + i);
    }
    for (int i = 0; i < 4; i++) {
      send(i, i);
    }
    network.fabric().run(TimeUnit.SECONDS.toNanos(1));
    for (int i = 0; i < 4; i++) {
      sent(i);
      received(100 + i, i);
    }
    assertEquals(0, active.sendCq().poll(found));
    assertEquals(0, passive.recvCq().poll(found));
  }

  @Test
  void anEventOfACompletionThatWasTakenAlreadyIsNoCompletion() {
    active.sendCq().requestNotification(false);
    receive(1);
    send(2, 3);
    network.fabric().run(TimeUnit.SECONDS.toNanos(1));
    assertEquals(1, active.sendCq().poll(found));
    receive(3);
    send(4, 5);
    sent(4);
    active.close();
  }

  @Test
  void completionsOfAQueueOfTheProgramAreTakenThere() {
    CompletionQueue own = clientDevice.createCq(8);
    CmId id = routed("10.0.0.2");
    String told = refused(Errno.EINVAL, () -> RdmaVerbs.getSendComp(id, found)).remedy();
    assertTrue(told.contains("has no queue pair: createQp makes it"), told);
    id.createQp(null, attr().sendCq(own));
    told = refused(Errno.EINVAL, () -> RdmaVerbs.getSendComp(id, found)).remedy();
    assertTrue(told.contains("is the program's own"), told);
    id.destroyQp();
    id.createQp(null, attr().recvCq(own));
    told = refused(Errno.EINVAL, () -> RdmaVerbs.getRecvComp(id, found)).remedy();
    assertTrue(told.contains("is the program's own"), told);
    id.close();
    own.close();
  }

  @Test
  void aThreadThatIsInterruptedWaitsNoMore() {
    Thread.currentThread().interrupt();
    refused(Errno.EINTR, () -> RdmaVerbs.getSendComp(active, found));
    assertTrue(Thread.interrupted());
  }

  @Test
  void whatCannotBeWaitedForIsRefused() {
    refused(Errno.EINVAL, () -> RdmaVerbs.getSendComp(null, found));
    refused(Errno.EINVAL, () -> RdmaVerbs.getRecvComp(null, found));
    String told = refused(Errno.EINVAL, () -> RdmaVerbs.getSendComp(active, null)).remedy();
    assertEquals("completions is missing: it must not be null", told);
    CmId id = client.createId(PortSpace.TCP);
    id.close();
    told = refused(Errno.EINVAL, () -> RdmaVerbs.getRecvComp(id, found)).remedy();
    assertTrue(told.endsWith(" is closed"), told);
  }

  @Test
  void completionsThatCannotBeCopiedStayInTheQueue() {
    receive(1);
    send(2, 3);
    WorkCompletions freed = new WorkCompletions(1);
    freed.close();
    String told = refused(Errno.EFAULT, () -> RdmaVerbs.getSendComp(active, freed)).remedy();
    assertEquals("cannot poll " + active.sendCq(), told);
    sent(2);
    received(1, 3);
  }
}
