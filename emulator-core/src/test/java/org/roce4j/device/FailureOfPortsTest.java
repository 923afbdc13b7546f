package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The words of a completion in error, for devices with two ports whose addresses differ in their
 * first half.
 */
class FailureOfPortsTest {
  /** More than any virtual time of these tests takes. */
  private static final int POLLS = 100_000_000;

  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final WorkCompletions done = new WorkCompletions(1);
  private final End near = new End(1);
  private final End far = new End(2);

  /** Addresses: fd00:1::n at port 1, fd00:2::n at port 2. */
  private final class End {
    private final int number;
    private final EmulatedDevice device;
    private final CompletionQueue cq;
    private final QueuePair qp;

    End(int number) {
      this.number = number;
      device = devices.device(devices.options("dual" + number, address(1)).withPort(address(2)));
      Context context = device.open();
      cq = context.createCq(4);
      qp = context.allocPd().createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(1, 1, 1, 1)));
    }

    Gid address(int port) {
      return Gid.parse("fd00:%d::%d".formatted(port, number));
    }

    void connect(int port, End peer, Gid address) {
      connect(port, 0, peer, address);
    }

    void connect(int port, int sgidIndex, End peer, Gid address) {
      GlobalRoute route = new GlobalRoute(address, 0, sgidIndex, 64, 0);
      QpAttr attr =
          QpBringUp.attributes(new AhAttr(true, route, 0, 0, 0, 0, port), peer.qp.qpNum());
      QpBringUp.toRts(qp, attr.portNum(port).timeout(4));
    }
  }

  private void connect(int port) {
    near.connect(port, far, far.address(port));
    far.connect(port, near, near.address(port));
  }

  private String why() {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    near.qp.postSendOrThrow(list.add().opcode(WrOpcode.RDMA_WRITE));
    for (int polls = 0; near.cq.pollOrThrow(done) == 0; polls++) {
      assertTrue(polls < POLLS, "nothing completed");
      Thread.onSpinWait();
    }
    assertEquals(WcStatus.RETRY_EXC_ERR, done.status(0));
    return near.cq.whyFailed(done, 0);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "1, 2", "2, 2"})
  void thePortThatIsDownIsNamed(int port, int end) {
    connect(port);
    (end == 1 ? near : far).device.port(port, false);
    String why = why();
    assertTrue(why.contains("port %d of dual%d is down".formatted(port, end)), why);
  }

  @Test
  void anAddressThatAPortGetsWhileItIsDownIsSilentToo() {
    Gid late = Gid.parse("fd00:2::9");
    far.device.port(2, false);
    far.device.addAddress(2, late);
    near.connect(2, far, late);
    far.connect(2, 1, near, near.address(2));
    String why = why();
    assertTrue(why.contains("port 2 of dual2 is down"), why);
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "2, 1"})
  void anotherPortThatIsDownHasNoPartInIt(int port, int other) {
    connect(port);
    near.device.port(other, false);
    far.device.port(other, false);
    far.qp.close();
    String why = why();
    assertTrue(why.contains("it was destroyed"), why);
  }

  @Test
  void aPeerThatExpectsAnotherPortSaysSo() {
    near.connect(1, far, far.address(1));
    far.connect(1, near, near.address(2));
    String why = why();
    assertTrue(why.contains("expects its peer at another address"), why);
  }

  @Test
  void aDeviceThatIsGoneIsNoPeerAndLeavesTheOthers() {
    connect(1);
    End gone = new End(3);
    devices.unplug(gone.device);
    far.qp.close();
    String why = why();
    assertTrue(why.contains("dual2 has no QP"), why);
  }

  @Test
  void anAddressThatWasRemovedIsOfNobody() {
    far.device.addAddress(1, Gid.parse("fd00:1::9"));
    near.connect(1, far, Gid.parse("fd00:1::9"));
    far.device.removeAddress(1, Gid.parse("fd00:1::9"));
    String why = why();
    assertTrue(why.contains("no device of this process has the address fd00:1:0:"), why);
  }
}
