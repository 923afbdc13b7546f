package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;

/**
 * What concerns all contexts, engines, objects or addresses of a device reaches each of them, not
 * only the first.
 */
class SeveralOfEachTest implements PlayedPortControl {
  private static final int ENGINES = 4;
  private static final Gid LEAVES = Gid.parse("10.0.0.1");
  private static final Gid STAYS = Gid.parse("10.0.0.2");
  private static final Gid GROUP = Gid.parse("239.1.1.1");

  @AutoClose private final Arena arena = Arena.ofShared();
  private final List<String> joined = new ArrayList<>();
  private final Device device = LoneEngine.ofEngines(ENGINES, LEAVES, STAYS);
  private final EmulatedContext one;
  private final EmulatedContext other;

  SeveralOfEachTest() {
    device.attach(this, Progress.NONE, Collections.nCopies(ENGINES, Progress.NONE));
    one = EmulatedContext.open(device, () -> {});
    other = EmulatedContext.open(device, () -> {});
  }

  @Override
  public void join(Gid group, Gid own) {
    joined.add(own.addressText());
  }

  @Override
  public void leave(Gid group, Gid own) {
    assertTrue(joined.remove(own.addressText()), "left more often than joined");
  }

  @Override
  public void remove(Gid address) {
    assertEquals(LEAVES, address);
  }

  private List<QueuePair> queuePairs() {
    return queuePairs(one);
  }

  /** A queue pair on each engine. */
  private static List<QueuePair> queuePairs(EmulatedContext context) {
    ProtectionDomain pd = context.allocPd();
    List<QueuePair> all = new ArrayList<>();
    for (int i = 0; i < ENGINES; i++) {
      all.add(
          pd.createQp(
              new QpInitAttr()
                  .qpType(QpType.UD)
                  .cq(context.createCq(1, null, null, i))
                  .cap(new QpCapabilities(1, 1, 1, 1))));
    }
    return all;
  }

  @Test
  void aFailureOfTheDeviceIsToldToEveryContext() {
    device.failed(device.engine(0));
    for (EmulatedContext each : List.of(one, other)) {
      AsyncEvent event = each.pollAsyncEvent();
      assertEquals(EventType.DEVICE_FATAL, event.type());
      event.ack();
    }
  }

  @Test
  void theOriginsOfAllObjectsOfAllContextsAreKnown() {
    device.rememberOrigins();
    Set<AutoCloseable> made = new HashSet<>();
    for (EmulatedContext each : List.of(one, other)) {
      made.add(each.allocPd());
      made.add(each.allocPd());
    }
    assertEquals(made, device.openObjects().keySet());
  }

  @Test
  void aContextThatClosesHearsEveryFarewell() {
    List<Integer> said = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int number = i;
      one.objects().beforeClose(() -> said.add(number));
    }
    one.close();
    Collections.sort(said);
    assertEquals(List.of(0, 1, 2), said);
  }

  @Test
  void threadsThatWaitForAnyEngineAreWoken() {
    for (int i = 0; i < ENGINES; i++) {
      device.engine(i).takeEventful();
    }
    device.wakeWaiting();
    for (int i = 0; i < ENGINES; i++) {
      assertTrue(device.engine(i).takeEventful(), "engine " + i);
    }
  }

  @Test
  void theGroupsOfAllEnginesMoveToTheAddressThatStays() {
    queuePairs().forEach(qp -> qp.attachMulticast(GROUP));
    assertEquals(Set.of("10.0.0.1"), Set.copyOf(joined));
    new DeviceChanges(device).removeAddress(1, LEAVES);
    assertEquals(Set.of("10.0.0.2"), Set.copyOf(joined));
    one.close();
    assertEquals(List.of(), joined);
  }

  @Test
  void theLastAddressOfItsIpVersionStaysWhileTheQueuePairOfAnyEngineIsInAGroup() {
    Device both = LoneEngine.ofEngines(ENGINES, LEAVES, Gid.parse("fd00::1"));
    both.attach(this, Progress.NONE, Collections.nCopies(ENGINES, Progress.NONE));
    queuePairs(EmulatedContext.open(both, () -> {})).getLast().attachMulticast(GROUP);
    VerbsException busy =
        assertThrows(VerbsException.class, () -> new DeviceChanges(both).removeAddress(1, LEAVES));
    assertEquals(Errno.EBUSY, busy.errno());
    assertTrue(busy.remedy().contains("multicast group"), busy::remedy);
  }

  @Test
  void aDeviceOfAConnectionManagerIsItsFirstContextThatIsOpen() {
    CmDevice left = CmDevice.of(one);
    CmDevice right = CmDevice.of(other);
    assertEquals(List.of(left), CmDevice.open(List.of(left, right)));
    one.close();
    assertEquals(List.of(right), CmDevice.open(List.of(left, right)));
  }

  @Test
  void aContextThatClosesLeavesAllGroupsOfItsQueuePairs() {
    QueuePair qp = queuePairs().getFirst();
    qp.attachMulticast(GROUP);
    qp.attachMulticast(Gid.parse("239.1.1.2"));
    one.close();
    assertEquals(List.of(), joined);
  }

  private QueuePair queuePairOn(Device ports) {
    ports.attach(this, Progress.NONE);
    EmulatedContext context = EmulatedContext.open(ports, () -> {});
    return context
        .allocPd()
        .createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .cq(context.createCq(1))
                .cap(new QpCapabilities(1, 1, 1, 1)));
  }

  /** A queue pair of a device with two ports, on the first of them and in two groups. */
  private QueuePair memberOfTwoPorts() {
    QueuePair qp = queuePairOn(LoneEngine.ofPorts(LEAVES, STAYS));
    qp.modify(new QpAttr().qpState(QpState.INIT).portNum(1).pkeyIndex(0).qkey(1));
    qp.attachMulticast(GROUP);
    qp.attachMulticast(Gid.parse("239.1.1.2"));
    assertEquals(List.of("10.0.0.1", "10.0.0.1"), joined);
    return qp;
  }

  /** At once, or when the queue pair moves to a port. */
  @Test
  void aGroupOfAnIpVersionOfWhichAPortHasNoAddressIsNotJoined() {
    Gid other = Gid.parse("ff0e::1");
    QueuePair here = queuePairs().getFirst();
    VerbsException refused = assertThrows(VerbsException.class, () -> here.attachMulticast(other));
    assertEquals(Errno.EINVAL, refused.errno());
    assertTrue(refused.remedy().contains("port 1 has no IPv6 address"), refused::remedy);
    Device twoPorts = LoneEngine.ofPorts(LEAVES, Gid.parse("fd00::1"));
    QueuePair qp = queuePairOn(twoPorts);
    qp.modify(new QpAttr().qpState(QpState.INIT).portNum(1).pkeyIndex(0).qkey(1));
    qp.attachMulticast(GROUP);
    QpAttr second = new QpAttr().portNum(2);
    assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> qp.modify(second)).errno());
    assertEquals(1, qp.query().portNum());
    assertEquals(List.of("10.0.0.1"), joined);
    qp.detachMulticast(GROUP);
    qp.attachMulticast(GROUP);
    qp.detachMulticast(GROUP);
    qp.modify(second);
    qp.attachMulticast(other);
    assertEquals(List.of(Gid.parse("fd00::1").addressText()), joined);
  }

  @Test
  void aQueuePairThatAttachesAgainIsInTheGroupOnce() {
    QueuePair qp = queuePairs().getFirst();
    qp.attachMulticast(GROUP);
    qp.attachMulticast(GROUP);
    assertEquals(List.of("10.0.0.1"), joined);
    qp.detachMulticast(GROUP);
    assertEquals(List.of(), joined);
    VerbsException gone = assertThrows(VerbsException.class, () -> qp.detachMulticast(GROUP));
    assertEquals(Errno.EINVAL, gone.errno());
  }

  @Test
  void allGroupsOfAQueuePairMoveWithItToAnotherPort() {
    QueuePair qp = memberOfTwoPorts();
    qp.modify(new QpAttr().portNum(2));
    assertEquals(List.of("10.0.0.2", "10.0.0.2"), joined);
    qp.context().close();
    assertEquals(List.of(), joined);
  }

  /** Neither a port that the mask leaves out nor one of a modify that is refused moves them. */
  @Test
  void groupsStayWhereTheQueuePairStays() {
    QueuePair qp = memberOfTwoPorts();
    qp.modify(new QpAttr().portNum(2).qkey(7), QpAttrMask.QKEY);
    assertEquals(List.of("10.0.0.1", "10.0.0.1"), joined);
    for (QpAttr attr :
        List.of(
            new QpAttr().portNum(0),
            new QpAttr().portNum(3),
            new QpAttr().portNum(2).pkeyIndex(-1))) {
      VerbsException refused = assertThrows(VerbsException.class, () -> qp.modify(attr));
      assertEquals(Errno.EINVAL, refused.errno());
      assertEquals(List.of("10.0.0.1", "10.0.0.1"), joined);
    }
    qp.context().close();
    assertEquals(List.of(), joined);
  }

  @Test
  void everyKeyOfAPartitionTableIsChecked() {
    VerbsException refused =
        assertThrows(VerbsException.class, () -> new DeviceChanges(device).pkeys(0xffff, 0x10000));
    assertEquals(Errno.EINVAL, refused.errno());
  }

  @Test
  void aPartitionTableHasAtMost128Keys() {
    DeviceChanges changes = new DeviceChanges(device);
    changes.pkeys(IntStream.range(0x8000, 0x8080).toArray());
    assertEquals(0x807f, one.queryPkey(1, 127));
    int[] more = IntStream.range(0x8000, 0x8081).toArray();
    assertEquals(
        Errno.EINVAL, assertThrows(VerbsException.class, () -> changes.pkeys(more)).errno());
  }

  @Test
  void everyQueuePairIsReported() {
    List<Integer> made = queuePairs().stream().map(QueuePair::qpNum).sorted().toList();
    List<Integer> told =
        QueuePairs.of(device, (number, _, _, _, _, _, _, _, _, _) -> number).stream()
            .sorted()
            .toList();
    assertEquals(made, told);
    List<Integer> windows =
        QueuePairs.windows(device, (number, _, _, _, _, _, _, _, _) -> number).stream()
            .sorted()
            .toList();
    assertEquals(made, windows);
  }

  @Test
  void theSituationNamesEveryQueuePairOfEveryEngine() {
    ProtectionDomain pd = one.allocPd();
    SendRequestList send = new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 2 * ENGINES; i++) {
      QueuePair qp =
          pd.createQp(
              new QpInitAttr()
                  .cq(one.createCq(1, null, null, i % ENGINES))
                  .cap(new QpCapabilities(1, 1, 1, 1)));
      QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
      assertEquals(0, qp.postSend(send));
      names.add("QP 0x%x RC RTS on lone has 1 sends under way".formatted(qp.qpNum()));
    }
    List<String> told = Situation.of(device);
    assertEquals(names.size(), told.size(), told::toString);
    names.forEach(name -> assertTrue(told.stream().anyMatch(each -> each.startsWith(name)), name));
  }

  @Test
  void theSituationNamesEveryThreadThatWaits() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      threads.add(Thread.ofPlatform().start(() -> waitsUntilInterrupted("close", one)));
    }
    while (Situation.of(device).size() < 2) {
      Thread.onSpinWait();
    }
    for (Thread each : threads) {
      each.interrupt();
      each.join();
    }
    assertEquals(List.of(), Situation.of(device));
  }

  private static void waitsUntilInterrupted(String verb, Object object) {
    WaitingThreads.enter(verb, object);
    while (!Thread.interrupted()) {
      LockSupport.park();
    }
    WaitingThreads.leave();
  }
}
