package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.roce4j.device.Refusals.refused;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** A connection manager of several devices, some of them closed. */
class ClosedDevicesTest extends CmRig {
  private final Context third = open("c", "10.0.0.3");
  private final Context fourth = open("d", "10.0.0.4");
  private final RdmaCm both = RdmaCm.open(third, fourth);
  private final EventChannel channel = both.createEventChannel();

  @AfterEach
  void close() {
    both.close();
    third.close();
    fourth.close();
  }

  @Test
  void whoListensEverywhereListensOnWhatIsOpen() {
    CmId before = channel.createId(PortSpace.TCP);
    before.bindAddr(at("0.0.0.0", PORT));
    third.close();
    before.listen(1);
    resolved("10.0.0.4").connect(new ConnParam());
    assertSame(before, next(channel, CmEvent.ConnectRequest.class).listenId());
    CmId after = channel.createId(PortSpace.TCP);
    after.bindAddr(at("0.0.0.0", PORT + 1));
    after.listen(1);
  }

  @Test
  void aDeviceThatIsUnpluggedTwiceTakesNothingFromTheNextWithItsAddress() {
    EmulatedDevice gone = (EmulatedDevice) third.device();
    network.unplug(gone);
    try (Context next = open("e", "10.0.0.3");
        RdmaCm cm = RdmaCm.open(next)) {
      network.unplug(gone);
      EventChannel requests = cm.createEventChannel();
      CmId listener = requests.createId(PortSpace.TCP);
      listener.bindAddr(at("10.0.0.3", PORT));
      listener.listen(1);
      resolved("10.0.0.3").connect(new ConnParam());
      next(requests, CmEvent.ConnectRequest.class);
    }
  }

  /** An id is on the first context that is open. */
  @Test
  void twoContextsOfADeviceAreOneDevice() {
    try (Context again = third.device().open();
        RdmaCm twice = RdmaCm.open(third, again)) {
      EventChannel requests = twice.createEventChannel();
      for (Context expected : List.of(third, again)) {
        CmId listener = requests.createId(PortSpace.TCP);
        listener.bindAddr(at("0.0.0.0", PORT));
        listener.listen(1);
        resolved("10.0.0.3").connect(new ConnParam());
        CmId request = next(requests, CmEvent.ConnectRequest.class).id();
        assertSame(expected, request.verbs());
        request.close();
        listener.close();
        expected.close();
      }
    }
  }

  /** The device stays open for another context, and requests there are still answered. */
  @Test
  void whoListensEverywhereHearsNothingOnAClosedContext() {
    try (Context _ = third.device().open()) {
      CmId listener = channel.createId(PortSpace.TCP);
      listener.bindAddr(at("0.0.0.0", PORT));
      listener.listen(1);
      third.close();
      resolved("10.0.0.3").connect(new ConnParam());
      CmEvent.Rejected told = next(client, CmEvent.Rejected.class);
      assertEquals(8, told.status(), "no listener");
      resolved("10.0.0.4").connect(new ConnParam());
      CmEvent.ConnectRequest heard = next(channel, CmEvent.ConnectRequest.class);
      assertSame(listener, heard.listenId());
      heard.id().close();
      next(client, CmEvent.Rejected.class);
      listener.close();
      resolved("10.0.0.4").connect(new ConnParam());
      assertEquals(8, next(client, CmEvent.Rejected.class).status(), "nobody listens there now");
    }
  }

  @Test
  void theWayGoesByADeviceThatIsOpen() {
    third.close();
    CmId id = channel.createId(PortSpace.TCP);
    id.resolveAddr(null, at("10.0.0.2", PORT), 2000);
    next(channel, CmEvent.AddrResolved.class);
    assertSame(fourth, id.verbs());
    CmId lost = channel.createId(PortSpace.TCP);
    lost.resolveAddr(null, at("10.0.0.99", PORT), 2000);
    next(channel, CmEvent.AddrError.class);
  }

  /** Who waits, waits on another device for the rest of the time. */
  @Test
  void aDeviceThatClosesProlongsNoWait() throws InterruptedException {
    CompletionChannel timer = clientDevice.createCompletionChannel();
    Thread closing =
        Thread.ofPlatform()
            .start(
                () -> {
                  assertNull(timer.getCqEvent(TimeUnit.MILLISECONDS.toNanos(6)));
                  third.close();
                });
    assertNull(channel.getCmEvent(TimeUnit.MILLISECONDS.toNanos(10)));
    assertEquals(TimeUnit.MILLISECONDS.toNanos(10), network.fabric().nowNs());
    closing.join();
    assertThrows(VerbsException.class, third::queryDevice, "it was closed meanwhile");
  }

  @Test
  void withoutADeviceNothingIsBoundAndNobodyWaits() throws Exception {
    CmId bound = channel.createId(PortSpace.TCP);
    bound.bindAddr(at("10.0.0.3", PORT));
    CmId free = channel.createId(PortSpace.TCP);
    CompletableFuture<CmEvent> waiting =
        CompletableFuture.supplyAsync(both.createEventChannel()::getCmEvent);
    third.close();
    refused(Errno.ENODEV, () -> bound.listen(1));
    refused(Errno.EADDRNOTAVAIL, () -> free.bindAddr(at("10.0.0.3", 1)));
    fourth.close();
    refused(Errno.ENODEV, () -> free.bindAddr(at("0.0.0.0", 1)));
    refused(Errno.ENODEV, () -> free.resolveAddr(null, at("10.0.0.2", 1), 1));
    refused(Errno.ENODEV, () -> free.listen(1));
    var ended = assertThrows(ExecutionException.class, () -> waiting.get(20, TimeUnit.SECONDS));
    assertEquals(Errno.ENODEV, ((VerbsException) ended.getCause()).errno());
    next(channel, CmEvent.DeviceRemoval.class);
    assertNull(channel.getCmEvent(0));
    refused(Errno.ENODEV, () -> channel.getCmEvent(1));
  }
}
