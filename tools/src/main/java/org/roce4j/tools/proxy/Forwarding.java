package org.roce4j.tools.proxy;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.Port;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.text.Wording;

/**
 * One direction of the proxy: forwards the datagrams of one end to the other, from another address.
 */
final class Forwarding {
  private static final int MOST_PATHS = 256;
  private static final int USUAL_HOP_LIMIT = 64;
  private static final int BUDGET = 256;

  private final Port in;
  private final Port out;
  private final Readdressing names;
  private final Transmit train;
  private final Map<Integer, Path> paths = new HashMap<>();
  private long forwarded;
  private long messages;
  private long foreign;

  Forwarding(Port in, Port out, Readdressing names) {
    this.in = in;
    this.out = out;
    this.names = names;
    train =
        new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), out.capabilities().maxTrain());
  }

  /** Forwards the datagrams that have arrived; returns their number. */
  int turn() {
    int count = in.receive(this::take, BUDGET);
    flush();
    return count;
  }

  private void take(Inbound datagram) {
    Gid from = names.from();
    if (datagram.sourceHigh() != from.high() || datagram.sourceLow() != from.low()) {
      foreign++;
      return;
    }
    int length = datagram.length();
    Path path = path(Math.max(0, datagram.trafficClass()), datagram.hopLimit());
    int at = train.claim(path, datagram.sourcePort(), length);
    if (at < 0) {
      flush();
      at = train.claim(path, datagram.sourcePort(), length);
    }
    train.buffer().put(at, datagram.buffer(), datagram.at(), length);
    messages += names.change(train.buffer(), at, length) ? 1 : 0;
    train.commit(length);
    if (datagram.icrc() == IcrcVerdict.WRONG) {
      train.spoil(train.segments() - 1); // a damaged datagram must not get a right ICRC
    }
    forwarded++;
  }

  private Path path(int trafficClass, int hopLimit) {
    int hops = hopLimit <= 0 ? USUAL_HOP_LIMIT : hopLimit;
    if (paths.size() == MOST_PATHS) {
      paths.clear();
    }
    return paths.computeIfAbsent(
        trafficClass << 8 | hops,
        key ->
            new Path(
                0,
                names.fromThere().high(),
                names.fromThere().low(),
                names.toThere().high(),
                names.toThere().low(),
                trafficClass,
                hops));
  }

  private void flush() {
    if (!train.isEmpty()) {
      out.send(train);
      train.clear();
    }
  }

  long forwarded() {
    return forwarded;
  }

  @Override
  public String toString() {
    return Wording.of(
        "%d datagrams forwarded, %d of them messages with addresses; %d of others",
        forwarded, messages, foreign);
  }
}
