package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.ProviderId;
import org.roce4j.verbs.cm.ProviderReport;

/** The channel of reports as a provider has it: what it takes, for how long, and its end. */
@Timeout(60)
class EmulatedCmChannelTest {
  private static final long MS = 1_000_000;
  private static final InetSocketAddress OWN =
      new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 7471);

  @AutoClose
  private final FabricDevices network = new FabricDevices(FabricOptions.of(1)).forOneThread();

  private final EmulatedDevice device = network.device("own", Gid.parse("10.0.0.1"));
  private final Context context = device.open();

  private EmulatedCmChannel open() {
    return EmulatedCmChannel.open(List.of(context));
  }

  private static ProviderId id(EmulatedCmChannel channel) {
    return channel.createId(PortSpace.TCP, QpType.RC);
  }

  /** An id with a report. */
  private static ProviderId resolved(EmulatedCmChannel channel) {
    ProviderId id = id(channel);
    id.resolveAddr(null, OWN, 2000);
    return id;
  }

  @Test
  void aWaitLastsAsLongAsItWasAskedTo() {
    EmulatedCmChannel channel = open();
    long began = channel.nowNs();
    assertNull(channel.take(10 * MS));
    assertEquals(10 * MS, channel.nowNs() - began);
    assertNull(channel.take(0));
    assertEquals(10 * MS, channel.nowNs() - began);
    for (long endless : new long[] {Deadlines.NEVER, Deadlines.NEVER - 1, Deadlines.NEVER / 2}) {
      refused(Errno.ETIMEDOUT, () -> channel.take(endless));
    }
    assertEquals(10 * MS, channel.nowNs() - began);
    ProviderId id = resolved(channel);
    assertEquals(id, channel.take(Deadlines.NEVER).id());
    assertEquals(10 * MS, channel.nowNs() - began);
  }

  @Test
  void aChannelThatIsClosedMakesNothingAndTellsNothing() {
    EmulatedCmChannel channel = open();
    channel.close();
    channel.close();
    refused(Errno.EINVAL, () -> id(channel));
    for (long timeoutNs : new long[] {0, MS, Deadlines.NEVER}) {
      refused(Errno.EINVAL, () -> channel.take(timeoutNs));
    }
    refused(Errno.EINVAL, () -> channel.onEvent(() -> {}));
    channel.onEvent(null);
  }

  /** A program that looks, and does not wait, takes what there was. */
  @Test
  void aChannelWithoutOpenDeviceHasNothingMore() {
    EmulatedCmChannel channel = open();
    context.close();
    assertNull(channel.take(0));
    refused(Errno.ENODEV, () -> channel.take(MS));
    refused(Errno.ENODEV, () -> channel.take(Deadlines.NEVER));
  }

  @Test
  void aClosedContextHasNone() {
    context.close();
    assertThrows(VerbsException.class, this::open);
  }

  @Test
  void theHookRunsForWhatWaitsAlready() {
    EmulatedCmChannel channel = open();
    int[] runs = {0};
    channel.onEvent(() -> runs[0]++);
    assertEquals(0, runs[0]);
    resolved(channel);
    assertEquals(1, runs[0]);
    channel.onEvent(null);
    channel.onEvent(() -> runs[0]++);
    assertEquals(2, runs[0]);
  }

  @Test
  void theReportsOfAnIdGoWithItAndNoOthers() {
    EmulatedCmChannel channel = open();
    ProviderId gone = resolved(channel);
    ProviderId other = resolved(channel);
    gone.close();
    assertEquals(other, channel.take(0).id());
    assertNull(channel.take(0));
  }

  @Test
  void aClosedIdDoesNothingMore() {
    EmulatedCmChannel channel = open();
    ProviderId id = id(channel);
    id.close();
    id.close();
    refused(Errno.EINVAL, () -> id.bindAddr(OWN));
    refused(Errno.EINVAL, () -> id.resolveAddr(null, OWN, 1));
    refused(Errno.EINVAL, () -> id.listen(1));
    assertNull(channel.take(0));
  }

  @Test
  void aGroupThatIsLeftIsLeftOnceAndTellsNothingMore() {
    EmulatedCmChannel channel = open();
    ProviderId id = channel.createId(PortSpace.UDP, QpType.UD);
    id.bindAddr(OWN);
    InetAddress group = InetAddress.ofLiteral("239.1.2.3");
    id.joinMulticast(group, JoinFlag.FULLMEMBER, "left");
    id.joinMulticast(group, JoinFlag.FULLMEMBER, "kept");
    id.leaveMulticast(group, "left");
    assertEquals("kept", channel.take(0).join());
    assertNull(channel.take(0));
    refused(Errno.EADDRNOTAVAIL, () -> id.leaveMulticast(group, "left"));
    InetAddress other = InetAddress.ofLiteral("239.1.2.4");
    refused(Errno.EADDRNOTAVAIL, () -> id.leaveMulticast(other, "kept"));
    id.leaveMulticast(group, "kept");
  }

  @Test
  void anIdMovesWithItsReportsToAChannelOfItsProvider() {
    EmulatedCmChannel from = open();
    EmulatedCmChannel to = open();
    ProviderId unbound = id(from);
    unbound.migrate(to);
    unbound.resolveAddr(null, OWN, 2000);
    ProviderId told = resolved(from);
    ProviderId stays = resolved(from);
    told.migrate(to);
    assertEquals(unbound, to.take(0).id());
    assertEquals(told, to.take(0).id());
    assertNull(to.take(0));
    assertEquals(stays, from.take(0).id());
    assertNull(from.take(0));
    refused(Errno.EINVAL, () -> stays.migrate(null));
  }

  /** The program must close a channel, the ids that it made, and those that it was given. */
  @Test
  void whatTheProgramHoldsIsReportedAsOpenUntilItIsClosed() {
    device.rememberOrigins();
    EmulatedCmChannel channel = open();
    ProviderId listener = id(channel);
    listener.bindAddr(OWN);
    listener.listen(1);
    ProviderId active = resolved(channel);
    assertEquals(CmEventType.ADDR_RESOLVED, channel.take(MS).type());
    active.resolveRoute(2000);
    assertEquals(CmEventType.ROUTE_RESOLVED, channel.take(MS).type());
    active.connect(new ConnParam());
    ProviderReport request = channel.take(MS);
    assertEquals(CmEventType.CONNECT_REQUEST, request.type());
    assertNotNull(request.listener());
    Set<AutoCloseable> held = device.openObjects().keySet();
    for (AutoCloseable each : List.of(channel, listener, active, request.id())) {
      assertTrue(held.contains(each), each::toString);
      close(each);
      assertFalse(device.openObjects().containsKey(each), each::toString);
    }
  }

  /** A program that connects all the time would otherwise fill its memory as long as it runs. */
  @Test
  void aDeviceForgetsTheIdsThatAreClosed() {
    EmulatedCmChannel channel = open();
    List<WeakReference<ProviderId>> closed = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ProviderId id = resolved(channel);
      closed.add(new WeakReference<>(id));
      id.close();
    }
    long end = System.nanoTime() + 10_000_000_000L;
    while (held(closed) > 1 && System.nanoTime() - end < 0) {
      System.gc();
    }
    assertTrue(held(closed) <= 1, () -> held(closed) + " of " + closed.size() + " are held");
  }

  private static long held(List<WeakReference<ProviderId>> references) {
    return references.stream().filter(each -> each.get() != null).count();
  }

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
