package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.path;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;

/** A train for a socket whose buffer is full. */
class TrainSenderTest {
  private static final Gid OWN = Gid.parse("10.0.0.1");
  private static final long PATIENCE_NS = 5_000_000;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Counters counters = new Counters();
  private final ManualIoEventLoop loop =
      new ManualIoEventLoop(Thread.currentThread(), NioIoHandler.newFactory());
  private final PortOptions options = PortOptions.of(List.of(OWN));
  private final IcrcSealer sealer = new IcrcSealer(IdentificationRule.ZERO, options.udpPort());
  private final TrainSender sender = new TrainSender(options, sealer, loop, counters);
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);
  private Exception refusal;

  private final NotingSocket socket =
      new NotingSocket(channel, OWN, false) {
        @Override
        void setTrafficClass(int trafficClass) throws IOException {
          if (refusal instanceof IOException e) {
            throw e;
          }
          if (refusal instanceof ChannelException e) {
            throw e;
          }
          super.setTrafficClass(trafficClass);
        }
      };

  private void full(boolean full) {
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, !full);
  }

  private void send(boolean loopIsRunning) {
    add(train, path(OWN, Gid.parse("10.0.0.2"), 2, 9), 60, 1);
    sender.send(socket, train, loopIsRunning);
  }

  private int sent() {
    DatagramPacket packet = channel.readOutbound();
    int length = packet.content().readableBytes();
    packet.release();
    return length;
  }

  @Test
  void whereThereIsRoomItIsSentWithTheFieldsOfItsPath() {
    send(false);
    assertEquals(60, sent());
    assertEquals(List.of("class 2", "hops 9"), socket.calls);
    assertEquals(0, train.buffer().position(), "the train may grow again");
    assertEquals(Transmit.MAX_BYTES, train.buffer().limit());
  }

  @Test
  void itWaitsForRoomAndIsLostWithoutIt() {
    full(true);
    long start = System.nanoTime();
    send(false);
    assertTrue(System.nanoTime() - start >= PATIENCE_NS);
    assertEquals(1, counters.get(Counter.SEND_ERROR));
    assertNull(channel.readOutbound());
  }

  @Test
  void itUsesTheRoomThatComes() {
    full(true);
    loop.execute(() -> full(false));
    send(false);
    assertEquals(60, sent());
    assertEquals(0, counters.get(Counter.SEND_ERROR));
  }

  /** A handler of the loop sends it, so that nothing makes room meanwhile. */
  @Test
  void withinTheLoopItIsLostAtOnce() {
    full(true);
    loop.execute(() -> full(false));
    send(true);
    assertNull(channel.readOutbound());
    assertEquals(1, counters.get(Counter.SEND_ERROR));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itIsLostIfTheKernelRefusesTheFieldsOfItsPath(boolean ofNetty) {
    refusal = ofNetty ? new ChannelException("planted") : new IOException("planted");
    send(false);
    assertNull(channel.readOutbound());
    assertEquals(1, counters.get(Counter.SEND_ERROR));
  }

  /** Refuses trains as the pipeline of a port does, before the call of the write returns. */
  private void refuseTrains() {
    channel
        .pipeline()
        .addLast(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext context, Object message, ChannelPromise when)
                  throws Exception {
                if (message instanceof SegmentedDatagramPacket train) {
                  train.release();
                  sender.failed(new IOException("planted"));
                } else {
                  super.write(context, message, when);
                }
              }
            });
  }

  /** Nothing is lost then, so nothing counts as an error. */
  @Test
  void theDatagramsOfATrainThatIsRefusedAreSentOneByOne() {
    NotingSocket able = new NotingSocket(channel, OWN, true);
    refuseTrains();
    Path path = path(OWN, Gid.parse("10.0.0.2"), 2, 9);
    for (int size : new int[] {60, 60, 50}) {
      assertTrue(add(train, path, size, 1));
    }
    for (int round = 0; round < 2; round++) {
      sender.send(able, train, false);
      assertEquals(List.of(60, 60, 50), List.of(sent(), sent(), sent()));
      assertNull(channel.readOutbound());
      assertFalse(able.trains(), "the next is not tried");
      assertEquals(1, counters.get(Counter.GSO_REFUSED));
      assertEquals(0, counters.get(Counter.SEND_ERROR));
    }
  }
}
