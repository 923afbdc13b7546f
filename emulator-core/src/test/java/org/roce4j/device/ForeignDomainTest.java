package org.roce4j.device;

import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;

/** Window, region and queue pair of different protection domains, each way. */
class ForeignDomainTest {
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final ProtectionDomain own = lone.pd;
  private final ProtectionDomain foreign = own.context().allocPd();
  private final QueuePair qp =
      own.createQp(
          new QpInitAttr().cq(own.context().createCq(2)).cap(new QpCapabilities(1, 1, 1, 1, 0)));

  @ParameterizedTest(name = "window foreign {0}, region foreign {1}")
  @CsvSource({"true, true", "true, false", "false, true"})
  void bindTakesWindowAndRegionOfItsOwnDomainOnly(boolean foreignWindow, boolean foreignRegion) {
    MemoryWindow window = (foreignWindow ? foreign : own).allocMemoryWindow(MwType.TYPE_1);
    MemoryRegion region =
        (foreignRegion ? foreign : own)
            .registerMemory(Arena.ofAuto().allocate(8, 8), AccessFlags.MW_BIND);
    refused(Errno.EPERM, () -> qp.bindMemoryWindow(window, 1, 0, region, region.iova(), 8, 0));
  }

  @Test
  void unbindTakesAWindowOfItsOwnDomainOnly() {
    MemoryWindow window = foreign.allocMemoryWindow(MwType.TYPE_1);
    refused(Errno.EPERM, () -> qp.bindMemoryWindow(window, 1, 0, null, 0, 0, 0));
  }
}
