package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Gid;

/** A cable that is pulled, and addresses that are silent, over a port that is played. */
class PortSwitchTest {
  private static final Gid PEER = Gid.parse("fd00::2");
  private static final Gid OWN = Gid.parse("fd00::1");

  private final Cable cable = new Cable();
  private final PortSwitch port = new PortSwitch(cable);
  private final List<Gid> taken = new ArrayList<>();

  private int receive(int budget) {
    return port.receive(in -> taken.add(new Gid(in.heardHigh(), in.heardLow())), budget);
  }

  private void send(Gid from) {
    Transmit train = new Transmit(ByteBuffer.allocateDirect(64), 1);
    train.claim(new Path(0, from.high(), from.low(), PEER.high(), PEER.low(), 0, 64), 0, 64);
    train.commit(64);
    port.send(train);
  }

  @Test
  void whatArrivesWhileItIsDownDoesNotStayInTheSocket() {
    cable.waiting = 3;
    port.up(false);
    assertEquals(0, receive(8));
    assertEquals(0, cable.waiting);
  }

  @Test
  void aPortThatWasUpLosesNothingWhenItIsBroughtUp() {
    cable.waiting = 3;
    port.up(true);
    assertEquals(3, receive(8));
  }

  @Test
  void theSocketIsEmptiedOnceAfterEachTimeThatItWasDown() {
    port.up(false);
    port.up(true);
    receive(8);
    assertEquals(2, cable.reads, "one found it empty, one was for the sink");
    cable.waiting = 2;
    assertEquals(2, receive(8));
    port.up(false);
    port.up(true);
    cable.waiting = 2;
    assertEquals(0, receive(8));
    assertEquals(2, taken.size());
  }

  /** More may arrive than the owner can take away. */
  @Test
  void aFloodDoesNotHoldUpTheOwner() {
    port.up(false);
    port.up(true);
    cable.waiting = 3000;
    assertEquals(1, receive(1));
    assertEquals(1999, cable.waiting);
  }

  /** An address is silent for both directions, and no other that resembles it. */
  @ParameterizedTest
  @CsvSource({"fd00::1, 0", "fd00::9, 1", "fd01::1, 1"})
  void nothingPassesAnAddressThatIsSilent(String silent, int passes) {
    port.silence(Set.of(Gid.parse(silent), Gid.parse("fd00::77")));
    cable.waiting = 1;
    assertEquals(1, receive(8));
    assertEquals(passes, taken.size());
    send(OWN);
    assertEquals(passes, cable.sent);
    assertEquals(1 - passes, cable.counters.get(Counter.SEND_ERROR));
    port.silence(Set.of());
    cable.waiting = 1;
    receive(8);
    send(OWN);
    assertEquals(passes + 1, taken.size());
    assertEquals(passes + 1, cable.sent);
  }

  /** Datagrams to {@link #OWN}. */
  private static final class Cable implements Port {
    private final Counters counters = new Counters();
    private int waiting;
    private int reads;
    private int sent;

    @Override
    public int receive(DatagramSink sink, int budget) {
      reads++;
      int count = Math.min(waiting, budget);
      waiting -= count;
      ByteBuffer bytes = ByteBuffer.allocateDirect(64);
      for (int i = 0; i < count; i++) {
        sink.datagram(
            new Inbound()
                .payload(bytes, MemorySegment.ofBuffer(bytes), 0, 64)
                .local(OWN.high(), OWN.low()));
      }
      return count;
    }

    @Override
    public void send(Transmit train) {
      sent += train.segments();
    }

    @Override
    public Counters counters() {
      return counters;
    }

    @Override
    public PortCapabilities capabilities() {
      return new PortCapabilities(
          "cable", true, 1, IdentificationRule.ZERO, true, true, true, true);
    }

    @Override
    public void await(long timeoutNs) {}

    @Override
    public void wakeup() {}

    @Override
    public long nowNs() {
      return 0;
    }

    @Override
    public void join(Gid group, Gid own) {}

    @Override
    public void leave(Gid group, Gid own) {}

    @Override
    public void close() {}
  }
}
