package org.roce4j.port.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.roce4j.port.Port;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.capture.BoundedCapture;
import org.roce4j.wire.capture.CaptureExtent;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.LinkType;

/**
 * The capture file of one {@link CapturePort}, or of the ports of all engines of a device.
 * Thread-safe. Allocates nothing per datagram.
 */
public final class CaptureFile {
  private static final long FLUSH_NS = 200_000_000;
  private static final int LONGEST = 1 << 16;

  private final Path file;
  private final BoundedCapture packets;
  private final String device;
  private final int snapLength;
  private final Icrc icrc = new Icrc();
  private final ByteBuffer frame = ByteBuffer.allocateDirect(Envelope.SIZE + LONGEST);
  private IOException failure;
  private boolean unflushed;
  private long flushedNs;
  private int users;

  /**
   * Creates the file: pcap if its name ends in {@code .pcap}, else pcapng.
   *
   * @param device name of the interface in the file, or empty
   * @param snapLength bytes to keep of a packet; {@link CaptureWriter#WHOLE_FRAMES} for all
   * @param extent which packets to keep
   * @param users number of ports that write the file, which is complete when all of them are closed
   * @throws VerbsException EIO if the file cannot be created
   */
  public CaptureFile(Path file, String device, int snapLength, CaptureExtent extent, int users) {
    this.file = file;
    this.device = device;
    this.snapLength = snapLength;
    this.users = users;
    try {
      packets = new BoundedCapture(CaptureWriter.create(file, LinkType.RAW, snapLength), extent);
    } catch (IOException e) {
      String why =
          switch (e) {
            case AccessDeniedException denied -> "permission denied";
            case NoSuchFileException missing -> "it cannot be made there";
            default -> e.toString();
          };
      throw new VerbsException(Errno.EIO, "cannot capture into " + file + " (" + why + ")", e);
    }
  }

  /** Writes a packet and returns its number for {@link #note}, or 0 if it was not written. */
  synchronized long write(
      long sinceEpochNs, Envelope envelope, ByteBuffer buffer, int at, int length) {
    if (failure != null || users == 0) {
      return 0;
    }
    int identification = envelope.identification(icrc, buffer, at, length);
    int ip = envelope.put(frame, Envelope.SIZE, length, identification);
    int packet = Envelope.SIZE - ip + length;
    int kept = Math.min(packet, snapLength) - (Envelope.SIZE - ip);
    if (kept > 0) {
      frame.put(Envelope.SIZE, buffer, at, kept);
    }
    try {
      unflushed = true;
      return packets.write(device, sinceEpochNs, frame, ip, packet);
    } catch (IOException e) {
      failure = e;
      return 0;
    }
  }

  /**
   * Adds the fate of a packet to its comment, unless another port has already written the next
   * packet.
   */
  synchronized void note(long packet, String fate) {
    if (users > 0) {
      packets.note(packet, fate);
    }
  }

  /** Flushes the file from time to time, so that it can be read while the port is open. */
  synchronized void flushNowAndThen(Port clock) {
    if (!unflushed || users == 0) {
      return;
    }
    long nowNs = clock.nowNs();
    if (nowNs - flushedNs < FLUSH_NS) {
      return;
    }
    flushedNs = nowNs;
    unflushed = false;
    try {
      packets.flush();
    } catch (IOException e) {
      failure = e;
    }
  }

  /**
   * Called once by each port that closes; the last call completes the file.
   *
   * @throws VerbsException EIO if the file is incomplete
   */
  synchronized void leave() {
    if (--users > 0) {
      return;
    }
    try {
      packets.close();
    } catch (IOException e) {
      failure = failure == null ? e : failure;
    }
    if (failure != null) {
      throw new VerbsException(
          Errno.EIO, "the capture " + file + " is incomplete (" + failure + ")", failure);
    }
  }
}
