package org.roce4j.tools.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** The end that connects and decides the number of pings. */
final class RpingClient {
  private static final int TIMEOUT_MS = 2000;
  private static final int FIRST_LETTER = 'A';
  private static final int LAST_LETTER = 'z';

  private final RdmaCm cm;
  private final RpingCommand command;
  private final int count;

  RpingClient(RdmaCm cm, RpingCommand command, int count) {
    this.cm = cm;
    this.command = command;
    this.count = count;
  }

  void run(InetSocketAddress from, InetSocketAddress to) {
    EventChannel channel = cm.createEventChannel();
    CmId id = channel.createId(PortSpace.TCP);
    id.resolveAddr(from, to, TIMEOUT_MS);
    ConnectionEvents.take(channel, CmEvent.AddrResolved.class, command::warn).ack();
    id.resolveRoute(TIMEOUT_MS);
    ConnectionEvents.take(channel, CmEvent.RouteResolved.class, command::warn).ack();
    command.debug("rdma_resolve_addr - rdma_resolve_route successful");
    try (RpingEnd end =
        new RpingEnd(id, command.size(), command.ownQueues(), true, command::warn)) {
      id.connect(end.parameters());
      if (end.hasOwnQueues()) {
        ConnectionEvents.take(channel, CmEvent.ConnectResponse.class, command::warn).ack();
        end.establish();
      } else {
        ConnectionEvents.take(channel, CmEvent.Established.class, command::warn).ack();
      }
      command.debug("rdma_connect successful");
      play(end);
      ConnectionEvents.disconnectQuietly(id);
    }
  }

  private void play(RpingEnd end) {
    MemorySegment start = end.allocate(command.size());
    try (MemoryRegion startMr = end.register(start)) {
      int letter = FIRST_LETTER;
      for (int ping = 0; count == 0 || ping < count; ping++) {
        fill(start, ping, letter);
        letter = letter == LAST_LETTER ? FIRST_LETTER : letter + 1;
        boolean connected = end.tell(startMr) && end.hear() && end.tell(end.dataMr()) && end.hear();
        if (!connected) {
          command.warn("client DISCONNECT EVENT...");
          checkCount(ping);
          return;
        }
        check(start, end.data());
      }
    }
  }

  /** Without a count a ping-pong ends when the server does. */
  private void checkCount(int played) {
    if (count > 0) {
      throw ToolFailure.atRunTime("the server has gone after %d of %d pings", played, count);
    }
  }

  /** The text that names the ping, then letters, then a zero. */
  private static void fill(MemorySegment buffer, int ping, int firstLetter) {
    byte[] text = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
    MemorySegment.copy(text, 0, buffer, JAVA_BYTE, 0, text.length);
    int letter = firstLetter;
    for (long i = text.length; i < buffer.byteSize(); i++) {
      buffer.set(JAVA_BYTE, i, (byte) letter);
      letter = letter == LAST_LETTER ? FIRST_LETTER : letter + 1;
    }
    buffer.set(JAVA_BYTE, buffer.byteSize() - 1, (byte) 0);
  }

  private void check(MemorySegment sent, MemorySegment returned) {
    if (command.validate() && sent.mismatch(returned) >= 0) {
      throw ToolFailure.atRunTime("data mismatch! at byte " + sent.mismatch(returned));
    }
    if (command.verbose()) {
      command.print("ping data: " + returned.getString(0, StandardCharsets.US_ASCII));
    }
  }
}
