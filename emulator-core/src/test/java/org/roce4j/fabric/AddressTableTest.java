package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/** The addresses of a virtual network, their holders, and the groups that they join. */
class AddressTableTest {
  private static final Gid FIRST = Gid.parse("10.0.0.1");
  private static final Gid SECOND = Gid.parse("10.0.0.2");
  private static final Gid GROUP = Gid.parse("239.1.2.3");
  private static final AddressHolder HOLDER =
      new AddressHolder() {
        @Override
        public boolean takes(FabricDatagram datagram) {
          return true;
        }

        @Override
        public boolean deliver(FabricDatagram datagram) {
          return true;
        }
      };

  private final AddressTable table = new AddressTable();

  private List<Address> held(Gid gid, String name) {
    List<Address> own = table.vacant(List.of(gid));
    own.forEach(each -> each.takenBy(HOLDER, name));
    return own;
  }

  private String nameOf(Gid sender) {
    FabricDatagram datagram = new FabricDatagram(MemorySegment.ofArray(new byte[64]), 0);
    datagram.sourceHigh = sender.high();
    datagram.sourceLow = sender.low();
    return table.nameOfSender(datagram);
  }

  private MulticastGroup group() {
    return table.group(GROUP.high(), GROUP.low());
  }

  @Test
  void everyAddressOfAHolderHasItsName() {
    List<Address> own = held(FIRST, "a");
    assertEquals(2, table.add(HOLDER, own, SECOND).size());
    assertEquals("a", nameOf(FIRST));
    assertEquals("a", nameOf(SECOND));
  }

  @Test
  void anAddressWithoutANameIsItsOwn() {
    held(FIRST, "");
    assertEquals("10.0.0.1", nameOf(FIRST));
    assertEquals("10.0.0.2", nameOf(SECOND));
  }

  @Test
  void anAddressHasOneHolder() {
    List<Address> own = held(FIRST, "a");
    refused(Errno.EADDRINUSE, () -> table.vacant(List.of(FIRST)));
    refused(Errno.EADDRINUSE, () -> table.vacant(List.of(SECOND, SECOND)));
    refused(Errno.EINVAL, () -> table.vacant(List.of(GROUP)));
    refused(Errno.EINVAL, () -> table.vacant(List.of()));
    assertEquals(List.of(), table.remove(own, FIRST));
    assertSame(own.getFirst(), table.vacant(List.of(FIRST)).getFirst());
  }

  @Test
  void onlyWhoJoinedLeaves() {
    Address first = held(FIRST, "a").getFirst();
    Address second = held(SECOND, "b").getFirst();
    Address other = held(Gid.parse("fd00::1"), "c").getFirst();
    refused(Errno.EINVAL, () -> table.join(null, GROUP));
    refused(Errno.EINVAL, () -> table.join(other, GROUP));
    refused(Errno.EINVAL, () -> table.join(first, SECOND));
    refused(Errno.EINVAL, () -> table.leave(first, GROUP));
    table.join(first, GROUP);
    refused(Errno.EINVAL, () -> table.leave(second, GROUP));
    refused(Errno.EINVAL, () -> table.leave(null, GROUP));
    assertTrue(group().has(first));
    table.leave(first, GROUP);
    refused(Errno.EINVAL, () -> table.leave(first, GROUP));
  }

  /** A group is remembered as long as it has members, and a member as often as it has joined. */
  @Test
  void aGroupIsForgottenWithItsLastMember() {
    List<Address> first = held(FIRST, "a");
    Address second = held(SECOND, "b").getFirst();
    table.join(first.getFirst(), GROUP);
    table.join(second, GROUP);
    table.join(second, GROUP);
    table.leave(second, GROUP);
    assertEquals(2, group().size());
    table.leave(second, GROUP);
    assertEquals(1, group().size());
    table.detach(first);
    assertNull(group());
    table.join(second, GROUP);
    table.leave(second, GROUP);
    assertNull(group());
  }

  /** Beyond those that are remembered, the addresses left first are forgotten. */
  @Test
  void whatIsHeldOrWasAskedForIsNotForgotten() {
    List<Address> left = held(FIRST, "a");
    List<Address> kept = held(SECOND, "b");
    List<Address> back = held(Gid.parse("10.0.0.3"), "c");
    kept.getFirst().kept = true;
    List.of(left, kept, back).forEach(table::detach);
    back.getFirst().takenBy(HOLDER, "c");
    for (int i = 0; i < AddressTable.REMEMBERED; i++) {
      table.detach(held(Gid.ofIpv4(0x0a01_0000 + i), ""));
    }
    table.forget(_ -> true);
    assertNull(table.find(FIRST));
    assertNotNull(table.find(SECOND));
    assertSame(HOLDER, table.find(Gid.parse("10.0.0.3")).holder);
  }

  @Test
  void anAddressWithLinksInUseIsForgottenLater() {
    table.detach(held(FIRST, "a"));
    for (int i = 0; i < AddressTable.REMEMBERED; i++) {
      table.detach(held(Gid.ofIpv4(0x0a01_0000 + i), ""));
    }
    table.forget(_ -> false);
    assertNotNull(table.find(FIRST));
    table.forget(_ -> true);
    assertNull(table.find(FIRST));
  }
}
