package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;

/**
 * Writes the ICRC into the last four bytes of the datagrams that a port sends. Only the port knows
 * two fields that the ICRC covers: the UDP source port and the IPv4 identification.
 *
 * <p>Allocates nothing per datagram. Not thread-safe: it belongs to the thread that sends.
 */
public final class IcrcSealer {
  private final Icrc icrc = new Icrc();
  private final IdentificationRule rule;
  private final int destinationPort;

  /**
   * @param destinationPort UDP port of every peer, 4791 on real networks
   */
  public IcrcSealer(IdentificationRule rule, int destinationPort) {
    this.rule = rule;
    this.destinationPort = destinationPort;
  }

  /**
   * Seals every datagram of a train that is sent as one, with the identifications of this port's
   * rule.
   */
  public void seal(Transmit train, int sourcePort) {
    seal(train, sourcePort, 0, rule == IdentificationRule.ZERO ? 0 : 1);
  }

  /**
   * Seals a train of one datagram.
   *
   * @param identification identification of its IPv4 header, 0..65535; ignored over IPv6
   */
  public void sealOne(Transmit train, int sourcePort, int identification) {
    seal(train, sourcePort, identification, 0);
  }

  /** Seals every datagram of a train whose datagrams are sent one by one, with identification 0. */
  public void sealSingly(Transmit train, int sourcePort) {
    seal(train, sourcePort, 0, 0);
  }

  private void seal(Transmit train, int sourcePort, int first, int step) {
    ByteBuffer buffer = train.buffer();
    Path path = train.path();
    int at = 0;
    for (int k = 0; k < train.segments(); k++) {
      int size = train.sizeOf(k);
      seal(path, sourcePort, first + k * step, buffer, at, size);
      if (train.spoiled(k)) {
        spoil(buffer, at, size);
      }
      at += size;
    }
  }

  /**
   * Seals one datagram.
   *
   * @param identification identification of its IPv4 header, 0..65535; ignored over IPv6
   * @param length bytes from the BTH to the end of the ICRC
   */
  public void seal(
      Path path, int sourcePort, int identification, ByteBuffer buffer, int at, int length) {
    Icrc.write(
        buffer,
        at + length - Icrc.SIZE,
        path.ipv4()
            ? icrc.ofIpv4(
                GidAddress.ipv4(path.localLow()),
                GidAddress.ipv4(path.remoteLow()),
                sourcePort,
                destinationPort,
                identification,
                buffer,
                at,
                length)
            : icrc.ofIpv6(
                path.localHigh(),
                path.localLow(),
                path.remoteHigh(),
                path.remoteLow(),
                sourcePort,
                destinationPort,
                buffer,
                at,
                length));
  }

  /** Makes the ICRC of a sealed datagram wrong. */
  public static void spoil(ByteBuffer buffer, int at, int length) {
    int icrcAt = at + length - Icrc.SIZE;
    buffer.putInt(icrcAt, ~buffer.getInt(icrcAt));
  }
}
