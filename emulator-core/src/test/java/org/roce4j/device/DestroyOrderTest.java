package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.roce4j.device.Refusals.refused;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;

/**
 * The state after closing a context, and after closing an object twice. Refusals of used objects
 * are the rows {@code REF-} of the conformance tables.
 */
class DestroyOrderTest {
  private final Rig rig = new Rig();

  @AfterEach
  void close() {
    rig.close();
  }

  private ProtectionDomain other;

  private ProtectionDomain other() {
    if (other == null) {
      other = rig.context.allocPd();
    }
    return other;
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

  /** Each object refuses while another refers to it, so any other order would be refused. */
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
