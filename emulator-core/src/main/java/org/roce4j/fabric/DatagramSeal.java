package org.roce4j.fabric;

import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.wire.Bth;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.UdpSourcePort;

/**
 * Computes and checks the ICRCs of datagrams as on a wire, each with its own IPv4 identification.
 */
final class DatagramSeal {
  private static final int LEAST = Bth.SIZE + Icrc.SIZE;

  private final Icrc icrc = new Icrc();
  private final boolean compute;

  /**
   * @param compute false: writes zeros instead, and judges a datagram wrong if the fabric has
   *     damaged it
   */
  DatagramSeal(boolean compute) {
    this.compute = compute;
  }

  void seal(FabricDatagram datagram) {
    if (datagram.length >= LEAST) {
      Icrc.write(datagram.buffer, icrcAt(datagram), compute ? icrcOf(datagram) : 0);
    }
  }

  IcrcVerdict judge(FabricDatagram datagram) {
    if (datagram.length < LEAST) {
      return IcrcVerdict.WRONG;
    }
    if (!compute) {
      return datagram.damaged ? IcrcVerdict.WRONG : IcrcVerdict.UNCHECKED;
    }
    int carried = Icrc.read(datagram.buffer, icrcAt(datagram));
    return carried == icrcOf(datagram) ? IcrcVerdict.RIGHT : IcrcVerdict.WRONG;
  }

  private static int icrcAt(FabricDatagram datagram) {
    return FabricDatagram.AT + datagram.length - Icrc.SIZE;
  }

  private int icrcOf(FabricDatagram datagram) {
    return datagram.ipv4()
        ? icrc.ofIpv4(
            GidAddress.ipv4(datagram.sourceLow),
            GidAddress.ipv4(datagram.destinationLow),
            datagram.sourcePort,
            UdpSourcePort.ROCE_V2,
            datagram.identification,
            datagram.buffer,
            FabricDatagram.AT,
            datagram.length)
        : icrc.ofIpv6(
            datagram.sourceHigh,
            datagram.sourceLow,
            datagram.destinationHigh,
            datagram.destinationLow,
            datagram.sourcePort,
            UdpSourcePort.ROCE_V2,
            datagram.buffer,
            FabricDatagram.AT,
            datagram.length);
  }
}
