package org.roce4j.fabric;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Function;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.capture.BoundedCapture;
import org.roce4j.wire.capture.CaptureExtent;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.LinkType;

/**
 * Writes every datagram, as its sender sealed it, as an IP packet into a capture file. Timestamps
 * are virtual time; interfaces are the senders. The comment of a packet has the faults that occur
 * before the next packet is sent: {@code lost: random loss}. An error of the file is reported by
 * {@link #close}, not to the sender.
 */
public final class FabricCapture implements FabricObserver, Closeable {
  private final Consumer<FabricObserver> untap;
  private final Function<FabricDatagram, String> senders;
  private final BoundedCapture packets;

  /** The newest packet's datagram and its number in the file. */
  private FabricDatagram last;

  private long number;
  private IOException failure;
  private boolean closed;

  /**
   * @param untap removes an observer from the fabric
   * @param senders gives the name of a datagram's sender
   */
  FabricCapture(
      Consumer<FabricObserver> untap,
      Function<FabricDatagram, String> senders,
      Path file,
      int snapLength,
      CaptureExtent extent)
      throws IOException {
    this.untap = untap;
    this.senders = senders;
    packets = new BoundedCapture(CaptureWriter.create(file, LinkType.RAW, snapLength), extent);
  }

  @Override
  public void sent(long nowNs, FabricDatagram datagram) {
    if (failure != null) {
      return;
    }
    int at = datagram.putHeaders();
    try {
      last = datagram;
      number =
          packets.write(
              senders.apply(datagram), nowNs, datagram.buffer, at, datagram.packetBytes());
    } catch (IOException e) {
      failure = e;
    }
  }

  /** A forged datagram comes before the original, on the network and in the file. */
  @Override
  public void forged(long nowNs, FabricDatagram original, FabricDatagram forged) {
    if (failure != null) {
      return;
    }
    if (original != last) {
      sent(nowNs, forged);
      note(forged, FateText.forged(original));
      return;
    }
    int at = forged.putHeaders();
    try {
      number =
          packets.writeBefore(
              senders.apply(forged),
              nowNs,
              forged.buffer,
              at,
              forged.packetBytes(),
              FateText.forged(original));
    } catch (IOException e) {
      failure = e;
    }
  }

  @Override
  public void marked(long nowNs, FabricDatagram datagram) {
    note(datagram, FateText.marked(datagram));
  }

  @Override
  public void cut(long nowNs, FabricDatagram datagram, int bytes) {
    note(datagram, FateText.cut(datagram, bytes));
  }

  @Override
  public void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
    note(datagram, FateText.dropped(datagram, reason));
  }

  @Override
  public void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {
    note(original, FateText.duplicated(original));
  }

  @Override
  public void corrupted(long nowNs, FabricDatagram datagram, int bits) {
    note(datagram, FateText.corrupted(datagram, bits));
  }

  @Override
  public void delayed(long nowNs, FabricDatagram datagram, long delayNs) {
    note(datagram, FateText.delayed(datagram, delayNs));
  }

  private void note(FabricDatagram datagram, String fate) {
    if (datagram == last) {
      packets.note(number, fate);
    }
  }

  /** The number of packets between the first and the last that the file leaves out. */
  public long leftOut() {
    return packets.leftOut();
  }

  /**
   * Ends the capture and completes the file; idempotent.
   *
   * @throws IOException if the file could not be written, now or earlier
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    untap.accept(this);
    try (packets) {
      if (failure != null) {
        throw failure;
      }
    }
  }

  @Override
  public String toString() {
    return Wording.of("capture of %d packets of a virtual network", number);
  }
}
