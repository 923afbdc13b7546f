package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.roce4j.connect.RcPair;
import org.roce4j.fabric.Fabric;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Tests that fail or cannot run, for {@link FailureTest}. */
final class Samples {
  private Samples() {}

  /** What the samples have opened. */
  static final List<Context> OPENED = new ArrayList<>();

  private static final MemorySegment MEMORY = Arena.global().allocate(64);

  static class Failing {
    @Test
    @EmulatedRdma(faults = "loss=10%; mark-ecn direction=out nth=3")
    void failsOnTheFabric(Context from, Context to) {
      OPENED.addAll(List.of(from, to));
      assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 5));
      fail("as it should");
    }

    @Test
    @EmulatedRdma(transport = "udp")
    void failsOnSockets(Context from, Context to) {
      OPENED.addAll(List.of(from, to));
      assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 5));
      fail("as it should");
    }
  }

  static class Mistaken {
    @Test
    @EmulatedRdma
    void writesWhereItMayNot(Context a, Context b) {
      try (RdmaEnd client = new RdmaEnd(a, QpType.RC);
          RdmaEnd server = new RdmaEnd(b, QpType.RC)) {
        RdmaEnd.connect(client, server, attr -> {});
        MemoryRegion closed = server.pd().registerMemory(server.memory(), AccessFlags.LOCAL_WRITE);
        client
            .qp()
            .postSendOrThrow(
                client.request(7, WrOpcode.RDMA_WRITE, 0, 8).remote(closed.iova(), closed.rkey()));
        client.next().succeeded();
      }
    }

    @Test
    @EmulatedRdma
    void sendsMoreThanIsReceived(@Connected(messageBytes = 64) RcPair pair) {
      pair.server().qp().modify(new QpAttr().qpState(QpState.ERR));
      pair.client().send("hello");
    }
  }

  static class Planned {
    @Test
    @EmulatedRdma(faults = "fail=RETRY_EXC_ERR nth=1")
    void failsByItsPlan(@Connected RcPair pair) {
      pair.client().send("hello");
    }
  }

  static class Forgetful {
    @Test
    @EmulatedRdma(leaks = EmulatedRdma.Leaks.TELL)
    void leavesObjects(Context context, RdmaDevice other, @Connected RcPair pair) {
      for (int i = 0; i < 3; i++) {
        var unused = context.allocPd();
      }
      var unusedEnd = RdmaEnd.open(other, QpType.RC, 4096);
    }

    @Test
    @EmulatedRdma(leaks = EmulatedRdma.Leaks.FAIL, transport = "udp")
    void mustLeaveNone(RdmaDevice device) {
      var unused = device.open();
    }

    @Test
    @EmulatedRdma
    void mayLeaveSome(Context context) {
      var unused = context.allocPd();
    }
  }

  /** Leaves an object open, and ends in another way than the leak. */
  static class ForgetfulAndFailing {
    @Test
    @EmulatedRdma(leaks = EmulatedRdma.Leaks.TELL)
    void tells(Context context) {
      var unused = context.allocPd();
      fail("for its own reason");
    }

    @Test
    @EmulatedRdma(leaks = EmulatedRdma.Leaks.FAIL)
    void demands(Context context) {
      var unused = context.allocPd();
      fail("for its own reason");
    }
  }

  /** The pair's own domain is in use, so that the pair cannot be closed. */
  static class FailingWithMemory {
    @Test
    @EmulatedRdma
    void leavesMemory(@Connected RcPair pair) {
      OPENED.addAll(List.of(pair.client().context(), pair.server().context()));
      var unused = pair.client().pd().registerMemory(MEMORY, AccessFlags.LOCAL_WRITE);
      fail("for its own reason");
    }
  }

  static class LeavingMemory {
    @Test
    @EmulatedRdma
    void leavesMemory(@Connected RcPair pair) {
      OPENED.addAll(List.of(pair.client().context(), pair.server().context()));
      var unused = pair.client().pd().registerMemory(MEMORY, AccessFlags.LOCAL_WRITE);
    }
  }

  static class Unrecorded {
    @Test
    @EmulatedRdma(packets = EmulatedRdma.Keep.NEVER)
    void passes(Context context) {}
  }

  static class Passing {
    @Test
    @EmulatedRdma
    void passes(Context from, Context to) {
      OPENED.addAll(List.of(from, to));
      assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 5));
    }
  }

  static class Aborted {
    @Test
    @EmulatedRdma
    void assumesInVain(Context from, Context to) {
      assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 5));
      Assumptions.abort("not here");
    }
  }

  /** Tests that are called alike; the identifier of one is too long for a file's name. */
  static class Overloaded {
    @Test
    @EmulatedRdma(packets = EmulatedRdma.Keep.ALWAYS)
    void twice(Context from) {}

    @Test
    @EmulatedRdma(devices = 8, packets = EmulatedRdma.Keep.ALWAYS)
    void twice(
        Context a, Context b, Context c, Context d, Context e, Context f, Context g, Context h) {}
  }

  static class Refused {
    @Test
    @EmulatedRdma(devices = 0)
    void noDevice() {}

    @Test
    @EmulatedRdma(ports = 0)
    void noPort() {}

    @Test
    @EmulatedRdma
    void noSuchPort(@Connected(clientPort = 2) RcPair pair) {}

    @Test
    @EmulatedRdma(mtu = 1500)
    void noSuchMtu() {}

    @Test
    @EmulatedRdma(addresses = "10.0.0.1")
    void oneAddressForTwo() {}

    @Test
    @EmulatedRdma(faults = "explode")
    void noSuchFault() {}

    @Test
    @EmulatedRdma(faults = "lose=1%")
    void noSuchOption() {}

    @Test
    @EmulatedRdma(transport = "pigeon")
    void noSuchTransport() {}

    @Test
    @EmulatedRdma(transport = "udp")
    void noFabricOnSockets(Fabric fabric) {}

    @Test
    @EmulatedRdma
    void noThirdDevice(RdmaDevice a, RdmaDevice b, RdmaDevice c) {}

    @Test
    @EmulatedRdma
    void noDeviceBeforeTheFirst(@Connected(client = -1) RcPair pair) {}

    @Test
    @EmulatedRdma
    void noThirdServer(@Connected(server = 2) RcPair pair) {}

    @Test
    @EmulatedRdma
    void noConnectedContext(@Connected Context context) {}

    @Test
    @EmulatedRdma
    void noPairOnOneDevice(@Connected @OnDevice(1) RcPair pair) {}

    @Test
    @EmulatedRdma
    void noUnconnectedPair(RcPair pair) {}

    @Test
    @EmulatedRdma
    void noSmallSeed(@Seed int seed) {}

    @Test
    @EmulatedRdma(datagrams = 5)
    void noSixthDatagram(Context from, Context to) {
      Messages.send(from, to, 10);
    }

    @Test
    @ExtendWith(EmulatedRdmaExtension.class)
    void noAnnotation() {}

    @Test
    @EmulatedRdma(
        transport = "udp",
        addresses = {"192.0.2.1", "192.0.2.2"})
    void noForeignAddress() {}
  }

  @EmulatedRdma
  static class InConstructor {
    InConstructor(List<RdmaDevice> devices) {
      fail("there are no devices yet: " + devices);
    }

    @Test
    void never() {}
  }
}
