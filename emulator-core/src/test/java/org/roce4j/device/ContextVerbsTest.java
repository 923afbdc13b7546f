package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.Limit;
import org.roce4j.engine.Progress;
import org.roce4j.engine.queue.CompletionEvents;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.LinkLayer;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PhysicalPortState;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortCapFlags;
import org.roce4j.verbs.PortFlags;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.wire.PKey;

/** What a context answers and refuses, on a device of two ports. The second port is down. */
class ContextVerbsTest implements PlayedPortControl {
  private static final Gid ONE = Gid.parse("10.0.0.1");
  private static final Gid TWO = Gid.parse("10.0.0.2");

  private final Device device = LoneEngine.ofPorts(ONE, TWO);
  private final EmulatedContext context;
  private final EmulatedContext other;

  ContextVerbsTest() {
    device.attach(this, Progress.NONE);
    context = EmulatedContext.open(device, () -> {});
    other = EmulatedContext.open(device, () -> {});
  }

  @Override
  public PortState state(int port) {
    return port == 1 ? PortState.ACTIVE : PortState.DOWN;
  }

  @Test
  void aPortThatIsDownHasNoLink() {
    assertEquals(PhysicalPortState.LINK_UP, context.queryPort(1).physState());
    assertEquals(PhysicalPortState.DISABLED, context.queryPort(2).physState());
  }

  /** The attributes of a port of Ethernet (verbs-tables 8): no LID, a GRH in each datagram. */
  @Test
  void aPortTellsItsAttributes() {
    assertEquals(
        new PortAttr(
            PortState.ACTIVE,
            Mtu.MTU_4096,
            device.activeMtu(),
            device.limit(Limit.GID_TABLE_LENGTH),
            PortCapFlags.CM,
            1L << 31,
            0,
            0,
            1,
            0,
            0,
            0,
            1,
            0,
            0,
            0,
            2,
            32,
            PhysicalPortState.LINK_UP,
            LinkLayer.ETHERNET,
            PortFlags.GRH_REQUIRED,
            0),
        context.queryPort(1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void aPortThatTheDeviceDoesNotHaveIsRefused(int port) {
    refused(Errno.EINVAL, () -> context.queryPort(port));
    refused(Errno.EINVAL, () -> context.queryGid(port, 0));
    refused(Errno.EINVAL, () -> context.queryGidEx(port, 0));
    refused(Errno.EINVAL, () -> context.queryPkey(port, 0));
    refused(Errno.EINVAL, () -> context.pkeyIndex(port, PKey.DEFAULT));
  }

  @Test
  void anEntryOfATableIsThatOfItsPortAndIndex() {
    assertEquals(2, context.queryGidEx(2, 0).portNum());
    assertEquals(TWO, context.queryGidEx(2, 0).gid());
    refused(Errno.ENODATA, () -> context.queryGidEx(2, 1));
    refused(Errno.EINVAL, () -> context.queryGid(1, -1));
    refused(Errno.EINVAL, () -> context.queryGid(1, device.limit(Limit.GID_TABLE_LENGTH)));
  }

  @Test
  void aPartitionIsFoundByItsIndexAndByItsKey() {
    new DeviceChanges(device).pkeys(PKey.DEFAULT, 0x8123);
    assertEquals(0x8123, context.queryPkey(2, 1));
    assertEquals(1, context.pkeyIndex(2, 0x8123));
    assertEquals(-1, context.pkeyIndex(1, 0x8124));
    refused(Errno.EINVAL, () -> context.queryPkey(1, -1));
    refused(Errno.EINVAL, () -> context.queryPkey(1, 2));
  }

  @Test
  void partitionsThatStayAsTheyAreAreNoChange() {
    new DeviceChanges(device).pkeys(PKey.DEFAULT);
    assertNull(context.pollAsyncEvent());
    new DeviceChanges(device).pkeys(PKey.DEFAULT, 0x8123);
    for (int port = 1; port <= 2; port++) {
      assertEquals(EventType.PKEY_CHANGE, context.pollAsyncEvent().type());
    }
    assertNull(context.pollAsyncEvent());
  }

  @Test
  void aCompletionQueueNeedsAVectorOfTheDeviceAndAChannelOfTheContext() {
    refused(Errno.EINVAL, () -> context.createCq(1, null, null, device.engineCount()));
    refused(Errno.EINVAL, () -> context.createCq(1, null, null, -1));
    CompletionChannel foreign = other.createCompletionChannel();
    refused(Errno.EINVAL, () -> context.createCq(1, null, foreign, 0));
    CompletionChannel gone = context.createCompletionChannel();
    gone.close();
    refused(Errno.EINVAL, () -> context.createCq(1, null, gone, 0));
  }

  @Test
  void aWaitForAnEventTakesNoNegativeTime() {
    refused(Errno.EINVAL, () -> context.getAsyncEvent(-1));
    CompletionChannel channel = context.createCompletionChannel();
    refused(Errno.EINVAL, () -> channel.getCqEvent(-1));
  }

  @Test
  void theHookOfEventsIsCalledAtOnceIfOneWaits() {
    List<String> called = new ArrayList<>();
    context.onAsyncEvent(() -> called.add("first"));
    assertEquals(List.of(), called);
    new DeviceChanges(device).addAddress(1, Gid.parse("10.0.0.3"));
    context.onAsyncEvent(() -> called.add("second"));
    assertEquals("second", called.getLast());
    context.onAsyncEvent(null);
    context.close();
    context.onAsyncEvent(null);
    refused(Errno.ENODEV, () -> context.onAsyncEvent(() -> {}));
  }

  @Test
  void theHookOfAChannelIsCalledAtOnceIfAnEventWaits() {
    List<String> called = new ArrayList<>();
    EmulatedCompletionChannel channel =
        (EmulatedCompletionChannel) context.createCompletionChannel();
    CompletionQueue cq = context.createCq(1, null, channel, 0);
    channel.onEvent(() -> called.add("first"));
    assertEquals(List.of(), called);
    channel.events().raise(new CompletionEvents.Source(cq));
    channel.onEvent(() -> called.add("second"));
    assertEquals(List.of("second"), called);
    cq.close();
    channel.close();
    channel.onEvent(null);
    refused(Errno.EINVAL, () -> channel.onEvent(() -> {}));
  }

  @Test
  void anAddressHandleServesTheQueuePairsOfItsDomainAndPort() {
    ProtectionDomain pd = context.allocPd();
    EmulatedAddressHandle handle =
        (EmulatedAddressHandle) pd.createAh(AhAttr.roce(Gid.parse("10.0.0.9"), 0).onPort(2));
    assertEquals(true, handle.serves(pd, 2));
    assertEquals(false, handle.serves(pd, 1));
    assertEquals(false, handle.serves(context.allocPd(), 2));
  }

  @Test
  void deviceMemoryHasBytesAnAlignmentAndAContext() {
    refused(Errno.EINVAL, () -> context.allocDm(0, 0));
    refused(Errno.EINVAL, () -> context.allocDm(64, -1));
    long all = device.limit(Limit.MAX_DM_SIZE);
    refused(Errno.EINVAL, () -> context.allocDm(all + 1, 0));
    DeviceMemory most = context.allocDm(all - 8, 0);
    refused(Errno.ENOMEM, () -> context.allocDm(9, 0));
    DeviceMemory rest = context.allocDm(8, 0);
    most.close();
    DeviceMemory again = context.allocDm(all - 8, 0);
    ProtectionDomain foreign = other.allocPd();
    int write = AccessFlags.LOCAL_WRITE | AccessFlags.ZERO_BASED;
    refused(Errno.EINVAL, () -> foreign.registerDeviceMemory(rest, 0, 8, write));
    ProtectionDomain own = context.allocPd();
    refused(Errno.EINVAL, () -> own.registerDeviceMemory(rest, 0, 0, write));
    refused(Errno.EINVAL, () -> own.registerDeviceMemory(rest, 1, 8, write));
    again.close();
    refused(Errno.EINVAL, () -> own.registerDeviceMemory(again, 0, 8, write));
  }

  @Test
  void deviceMemoryIsNotCopiedFromOrToMemoryThatIsNotThere() {
    DeviceMemory memory = context.allocDm(8, 0);
    MemorySegment freed;
    try (Arena arena = Arena.ofShared()) {
      freed = arena.allocate(8);
    }
    refused(Errno.EFAULT, () -> memory.copyTo(0, freed));
    refused(Errno.EFAULT, () -> memory.copyFrom(freed, 0));
    MemorySegment eight = Arena.ofAuto().allocate(8);
    refused(Errno.EFAULT, () -> memory.copyTo(1, eight));
    refused(Errno.EFAULT, () -> memory.copyFrom(eight.asReadOnly(), 0));
    memory.close();
    refused(Errno.EINVAL, () -> memory.copyTo(0, eight));
  }
}
