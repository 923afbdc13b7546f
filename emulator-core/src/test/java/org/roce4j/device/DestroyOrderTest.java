package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.roce4j.device.Refusals.refused;

import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;

/** What must be gone before what (verbs-tables 7.1): EBUSY, nothing changed, then it can go. */
class DestroyOrderTest {
  private final Rig rig = new Rig();

  @AfterEach
  void close() {
    rig.close();
  }

  private interface Closing {
    void close();
  }

  private static void busy(Closing closing) {
    refused(Errno.EBUSY, closing::close);
  }

  static Stream<Arguments> membersOfADomain() {
    return Stream.of(
        member("region", r -> r.other().registerMemory(r.rig.memory, 0)::close),
        member("window", r -> r.other().allocMemoryWindow(MwType.TYPE_1)::close),
        member("queue pair", r -> r.other().createQp(r.rig.init(QpType.RC))::close),
        member("shared queue", r -> r.other().createSrq(new SrqInitAttr(1, 1))::close),
        member("address handle", r -> r.other().createAh(AhAttr.roce(Rig.NOBODY, 0))::close));
  }

  private static Arguments member(String what, Function<DestroyOrderTest, Closing> make) {
    return Arguments.of(what, make);
  }

  private ProtectionDomain other;

  private ProtectionDomain other() {
    if (other == null) {
      other = rig.context.allocPd();
    }
    return other;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("membersOfADomain")
  void aDomainGoesAfterIts(String what, Function<DestroyOrderTest, Closing> make) {
    Closing member = make.apply(this);
    busy(other()::close);
    member.close();
    assertDoesNotThrow(other()::close);
    assertThrows(VerbsException.class, () -> other().registerMemory(rig.memory, 0));
  }

  @Test
  void aCompletionQueueGoesAfterItsQueuePairs() {
    CompletionQueue sends = rig.context.createCq(4);
    CompletionQueue receives = rig.context.createCq(4);
    QpInitAttr attr = rig.init(QpType.UC).sendCq(sends).recvCq(receives);
    QueuePair qp = rig.pd.createQp(attr);
    busy(sends::close);
    busy(receives::close);
    qp.close();
    sends.close();
    receives.close();
  }

  @Test
  void aChannelGoesAfterItsCompletionQueues() {
    CompletionChannel channel = rig.context.createCompletionChannel();
    CompletionQueue cq = rig.context.createCq(4, null, channel, 0);
    busy(channel::close);
    cq.close();
    channel.close();
  }

  @Test
  void aSharedReceiveQueueGoesAfterItsQueuePairs() {
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(4, 1));
    QueuePair qp = rig.pd.createQp(rig.init(QpType.RC).srq(srq));
    busy(srq::close);
    qp.close();
    srq.close();
  }

  @Test
  void aRegionGoesAfterTheWindowsBoundToIt() {
    MemoryRegion region =
        rig.pd.registerMemory(rig.memory, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
    MemoryWindow window = rig.pd.allocMemoryWindow(MwType.TYPE_1);
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    bind(qp, window, region);
    busy(region::close);
    window.close();
    region.close();
  }

  @Test
  void aQueuePairGoesAfterItsMulticastGroups() {
    QueuePair qp = rig.in(QpState.RTS, QpType.UD, 1);
    Gid group = Gid.parse("239.1.2.3");
    qp.attachMulticast(group);
    busy(qp::close);
    qp.detachMulticast(group);
    qp.close();
  }

  @Test
  void closingTwiceIsHarmless() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    qp.close();
    qp.close();
    rig.region.close();
    rig.region.close();
    rig.cq.close();
    rig.pd.close();
    rig.pd.close();
  }

  /** Each refuses while something refers to it: so in any other order one of them would. */
  @Test
  void closingTheContextDestroysWhatRefersToOthersFirstHoweverOldItIs() {
    MemoryWindow oldWindow = rig.pd.allocMemoryWindow(MwType.TYPE_1);
    QueuePair oldQueuePair = rig.in(QpState.RTS, QpType.RC, 1);
    MemoryRegion region =
        rig.pd.registerMemory(rig.memory, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
    bind(oldQueuePair, oldWindow, region);
    QueuePair member = rig.in(QpState.RTS, QpType.UD, 1);
    member.attachMulticast(Gid.parse("239.1.2.3"));
    CompletionChannel channel = rig.context.createCompletionChannel();
    CompletionQueue cq = rig.context.createCq(4, null, channel, 0);
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(4, 1));
    rig.pd.createQp(rig.init(QpType.RC).sendCq(cq).srq(srq));
    MemoryRegion moved = rig.pd.registerMemory(rig.memory, 0);
    moved.reregister(other(), -1);
    other().createAh(AhAttr.roce(Rig.NOBODY, 0));
    Device device = ((EmulatedObject) rig.pd).device;

    rig.context.close();

    assertEquals(0, device.queuePairs());
    assertEquals(0, device.keys().size());
    assertEquals(0, device.multicastGroups());
    assertFalse(((EmulatedMemoryRegion) region).region().hasWindows());
    assertFalse(((EmulatedProtectionDomain) rig.pd).domain.inUse());
    assertFalse(((EmulatedProtectionDomain) other()).domain.inUse());
  }

  private static void bind(QueuePair qp, MemoryWindow window, MemoryRegion region) {
    qp.bindMemoryWindow(window, 1, 0, region, region.address(), 64, AccessFlags.REMOTE_READ);
  }

  @Test
  void closingTheContextTakesEverythingWithIt() {
    rig.in(QpState.RTS, QpType.RC, 1);
    rig.pd.createSrq(new SrqInitAttr(4, 1));
    rig.context.close();
    assertThrows(VerbsException.class, rig.context::allocPd);
    assertThrows(VerbsException.class, () -> rig.pd.registerMemory(rig.memory, 0));
    rig.context.close();
  }

  @Test
  void aCompletionQueueThatIsGoneIsNotResized() {
    CompletionQueue cq = rig.context.createCq(4);
    cq.close();
    refused(Errno.EINVAL, () -> cq.resize(8));
  }
}
