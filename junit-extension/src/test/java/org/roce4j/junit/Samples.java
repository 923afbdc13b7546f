package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.fabric.Fabric;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.WcStatus;

/** Tests that fail or cannot run, for {@link FailureTest}. */
final class Samples {
  private Samples() {}

  static class Failing {
    @Test
    @EmulatedRdma(faults = "loss=10%")
    void failsOnTheFabric(Context from, Context to) {
      assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 5));
      fail("as it should");
    }

    @Test
    @EmulatedRdma(transport = "udp")
    void failsOnSockets(Context from, Context to) {
      assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 5));
      fail("as it should");
    }
  }

  static class Passing {
    @Test
    @EmulatedRdma
    void passes(Context from, Context to) {
      assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 5));
    }
  }

  static class Refused {
    @Test
    @EmulatedRdma(devices = 0)
    void noDevice() {}

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
    @EmulatedRdma(transport = "udp", faults = "delay=1ms")
    void noDelayOnSockets() {}

    @Test
    @EmulatedRdma(transport = "udp")
    void noFabricOnSockets(Fabric fabric) {}

    @Test
    @EmulatedRdma
    void noThirdDevice(RdmaDevice a, RdmaDevice b, RdmaDevice c) {}
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
