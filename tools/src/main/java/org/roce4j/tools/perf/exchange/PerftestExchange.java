package org.roce4j.tools.perf.exchange;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.text.Wording;

/**
 * The TCP side of a perftest program, in its order. Everything is a swap: the client writes and
 * then reads, the server reads and then writes. The test decides which swaps there are:
 *
 * <pre>
 *   all        versions, cycle buffer, cache line, path MTU
 *   *_lat but send_lat: keys of the first queue pair
 *   all        keys of every queue pair; the queue pairs are connected
 *   all        keys of every queue pair and of the first, in one order or the other
 *   send_*     keys of the first, when receives are posted
 *              (the test)
 *   *_bw but send_bw:   keys of the first, then both reports
 *   all but write_lat:  keys of the first, then both write "done"
 * </pre>
 *
 * <p>Since all swaps of the keys look the same, only their number matters.
 */
public final class PerftestExchange implements AutoCloseable {
  /** The protocol version of the packaged perftest 4.5. */
  public static final String VERSION = "6.06";

  private static final int VERSION_BYTES = 16;
  private static final double OLDEST_VERSION = 5.70;
  private static final int CYCLE_BUFFER = 4096;
  private static final int CACHE_LINE = 64;
  private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

  private final Line line;
  private final boolean client;

  /** The exchange over TCP. */
  public PerftestExchange(PeerConnection connection, boolean client) {
    this(Line.over(connection), client);
  }

  /** The exchange over an open line. */
  public PerftestExchange(Line line, boolean client) {
    this.line = line;
    this.client = client;
  }

  public Line line() {
    return line;
  }

  /**
   * The settings of both sides.
   *
   * @param cycleBuffer bytes of the buffer that small messages cycle through
   * @param cacheLine distance of two small messages in it, bytes
   * @param mtu path MTU
   */
  public record Agreement(int cycleBuffer, int cacheLine, Mtu mtu) {}

  /** Exchanges versions, buffers and path MTU; the smaller MTU is used. */
  public Agreement agree(Mtu mtu) {
    checkVersion(swap(Arrays.copyOf(ascii(VERSION), VERSION_BYTES), "its version"));
    int cycle = Math.max(CYCLE_BUFFER, swap(CYCLE_BUFFER, "its buffer size"));
    int line = Math.max(CACHE_LINE, swap(CACHE_LINE, "its cache line size"));
    byte[] theirs = swap(ascii(mtu.value() + "\0"), "its path MTU");
    Mtu other = Mtu.of(Character.digit(theirs[0], 10));
    return new Agreement(cycle, line, other == null || other.bytes() > mtu.bytes() ? mtu : other);
  }

  private void checkVersion(byte[] theirs) {
    String text = new String(theirs, StandardCharsets.US_ASCII).replaceAll("\0.*", "");
    if (!text.matches("\\d{1,4}\\.\\d{1,4}")) {
      throw ToolFailure.atRunTime(
          "%s does not speak the perftest protocol: it sent '%s' where its version was due",
          line.peer(), PeerConnection.printable(theirs));
    }
    if (Double.parseDouble(text) < OLDEST_VERSION) {
      throw ToolFailure.atRunTime(
          "%s speaks version %s of the perftest protocol; the oldest that pairs is 5.70: update"
              + " its perftest",
          line.peer(), text);
    }
  }

  /** Swaps the keys of all queue pairs. */
  public List<QueuePairKey> keys(List<QueuePairKey> own) {
    List<QueuePairKey> theirs = new ArrayList<>(own.size());
    for (int i = 0; i < own.size(); i++) {
      String what =
          own.size() == 1
              ? "the key of its queue pair"
              : Wording.of(
                  "the key of queue pair %d of %d (both need the same -q)", i + 1, own.size());
      theirs.add(key(own.get(i), what));
    }
    return theirs;
  }

  /** Swaps the keys of one queue pair once more: both have come to the same point. */
  public QueuePairKey meet(QueuePairKey own, String what) {
    return key(own, what);
  }

  private QueuePairKey key(QueuePairKey own, String what) {
    byte[] message = swap(line.textual() ? own.encode() : own.encodeBinary(), what);
    return (line.textual() ? QueuePairKey.decode(message) : QueuePairKey.decodeBinary(message))
        .orElseThrow(
            () ->
                ToolFailure.atRunTime(
                    "%s does not run the same test: it sent '%s' where %s was due",
                    line.peer(), PeerConnection.printable(message), what));
  }

  /** Swaps the reports of a bandwidth test. */
  public BandwidthReport reports(BandwidthReport own) {
    return new BandwidthReport(
        swap(own.size()),
        swap(own.iterations()),
        swap(own.peak()),
        swap(own.average()),
        swap(own.messageRate()));
  }

  /** Says that this side is done. The C programs write this word and do not read it. */
  public void sayDone() {
    if (line.textual()) {
      line.write(DONE);
    }
  }

  private double swap(double own) {
    return Double.longBitsToDouble(swap(Double.doubleToRawLongBits(own)));
  }

  private long swap(long own) {
    byte[] message = ByteBuffer.allocate(Long.BYTES).putLong(own).array();
    return ByteBuffer.wrap(swap(message, "its report")).getLong();
  }

  private int swap(int own, String what) {
    byte[] message = ByteBuffer.allocate(Integer.BYTES).putInt(own).array();
    return ByteBuffer.wrap(swap(message, what)).getInt();
  }

  private byte[] swap(byte[] own, String what) {
    if (client) {
      line.write(own);
      return line.read(own.length, what);
    }
    byte[] theirs = line.read(own.length, what);
    line.write(own);
    return theirs;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void close() {
    line.close();
  }
}
