package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** Addresses come and go on a device of two ports, each change as a whole or not at all. */
class AddressChangesTest implements PlayedPortControl {
  private static final Gid ONE = Gid.parse("10.0.0.1");
  private static final Gid TWO = Gid.parse("10.0.0.2");
  private static final Gid MORE = Gid.parse("10.0.0.3");
  private static final Gid STILL_MORE = Gid.parse("10.0.0.4");

  private final List<String> asked = new ArrayList<>();
  private boolean refuses;
  private final Device device = LoneEngine.ofPorts(ONE, TWO);
  private final EmulatedContext context;

  AddressChangesTest() {
    device.attach(this, Progress.NONE);
    context = EmulatedContext.open(device, () -> {});
  }

  @Override
  public void add(Gid address) {
    if (refuses) {
      throw new VerbsException(Errno.EADDRINUSE, "another process has it");
    }
    asked.add("add " + address.addressText());
  }

  @Override
  public void remove(Gid address) {
    asked.add("remove " + address.addressText());
  }

  private DeviceChanges changes() {
    return new DeviceChanges(device);
  }

  private void assertTold(int port) {
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(EventType.GID_CHANGE, event.type());
    assertEquals(port, event.portNum());
    event.ack();
    assertNull(context.pollAsyncEvent());
  }

  private void refused(Errno errno, Executable change) {
    List<Gid> before = device.addresses();
    List<String> askedBefore = List.copyOf(asked);
    assertEquals(errno, assertThrows(VerbsException.class, change).errno());
    assertEquals(before, device.addresses());
    assertEquals(askedBefore, asked);
    assertNull(context.pollAsyncEvent());
  }

  @Test
  void aChangeReachesThePortTheTableAndTheContexts() {
    for (int port = 1; port <= 2; port++) {
      int number = port;
      changes().addAddress(port, MORE);
      assertTold(port);
      assertEquals(port, device.gidTable().portOf(MORE));
      assertEquals(MORE, context.queryGid(port, 1));
      refused(Errno.EEXIST, () -> changes().addAddress(3 - number, MORE));
      refused(Errno.EADDRNOTAVAIL, () -> changes().removeAddress(3 - number, MORE));
      changes().removeAddress(port, MORE);
      assertTold(port);
      assertEquals(Gid.ZERO, context.queryGid(port, 1));
    }
    assertEquals(List.of("add 10.0.0.3", "remove 10.0.0.3"), asked.subList(0, 2));
    assertEquals(4, asked.size());
  }

  @Test
  void whatThePortRefusesChangesNothing() {
    refuses = true;
    refused(Errno.EADDRINUSE, () -> changes().addAddress(2, MORE));
    assertEquals(0, device.gidTable().portOf(MORE));
    refuses = false;
    changes().addAddress(2, MORE);
    assertTold(2);
  }

  @Test
  void theLastAddressOfAPortStaysThoughAnotherPortHasMore() {
    refused(Errno.EBUSY, () -> changes().removeAddress(1, ONE));
    changes().addAddress(2, MORE);
    assertTold(2);
    refused(Errno.EBUSY, () -> changes().removeAddress(1, ONE));
    changes().removeAddress(2, TWO);
    assertTold(2);
    refused(Errno.EBUSY, () -> changes().removeAddress(2, MORE));
  }

  /** An index is not given to another address while a path of its port uses it. */
  @Test
  void anIndexInUseIsNotGivenAwayOnItsPortAlone() {
    changes().addAddress(1, MORE);
    assertTold(1);
    AddressHandle handle = context.allocPd().createAh(AhAttr.roce(Gid.parse("10.0.0.9"), 1));
    changes().removeAddress(1, MORE);
    assertTold(1);
    changes().addAddress(1, STILL_MORE);
    assertTold(1);
    assertEquals(2, context.queryGidTable().stream().filter(of -> of.portNum() == 1).count());
    assertEquals(STILL_MORE, context.queryGid(1, 2));
    handle.close();
    changes().addAddress(1, MORE);
    assertTold(1);
    assertEquals(MORE, context.queryGid(1, 1));
    AddressHandle ofFirst = context.allocPd().createAh(AhAttr.roce(Gid.parse("10.0.0.9"), 1));
    Gid fifth = Gid.parse("10.0.0.5");
    changes().addAddress(2, fifth);
    assertTold(2);
    assertEquals(fifth, context.queryGid(2, 1));
    ofFirst.close();
  }

  /** A path keeps its index though its address has another one meanwhile. */
  @Test
  void anIndexInUseIsNotGivenAwayWhenItsAddressIsBackAtAnother() {
    changes().addAddress(1, MORE);
    AddressHandle handle = context.allocPd().createAh(AhAttr.roce(Gid.parse("10.0.0.9"), 1));
    changes().removeAddress(1, MORE);
    changes().addAddress(1, MORE);
    assertEquals(MORE, context.queryGid(1, 2));
    changes().addAddress(1, STILL_MORE);
    assertEquals(STILL_MORE, context.queryGid(1, 3));
    handle.close();
  }

  @Test
  void anAddressThatFindsNoRoomInTheTableIsRefused() {
    int length = context.queryPort(1).gidTableLength();
    for (int i = 1; i < length; i++) {
      changes().addAddress(1, Gid.parse("10.1." + i / 256 + "." + i % 256));
      assertTold(1);
    }
    assertEquals("10.1." + (length - 1) / 256 + "." + (length - 1) % 256, last(length));
    refused(Errno.ENOSPC, () -> changes().addAddress(1, MORE));
  }

  private String last(int length) {
    return context.queryGid(1, length - 1).addressText();
  }
}
