package org.roce4j.port.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.Map;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.PortOptions;

/**
 * Seals trains and writes them, as one segmented datagram if the kernel accepts that, else one by
 * one. Confined to the port's owner.
 */
// Failures come through exceptionCaught, so futures are ignored.
@SuppressWarnings("FutureReturnValueIgnored")
final class TrainSender {
  private static final int MOST_PEERS_REMEMBERED = 1024;

  /** The time to wait for room in a full send buffer before the train counts as lost. */
  private static final long SEND_PATIENCE_NS = 5_000_000;

  private final PortOptions options;
  private final IcrcSealer sealer;
  private final ManualIoEventLoop loop;
  private final Counters counters;
  private final Map<Path, InetSocketAddress> peers = new IdentityHashMap<>();

  /** The exception of the last write; null if it succeeded or is queued. */
  private IOException failure;

  TrainSender(PortOptions options, IcrcSealer sealer, ManualIoEventLoop loop, Counters counters) {
    this.options = options;
    this.sealer = sealer;
    this.loop = loop;
    this.counters = counters;
  }

  /** Called by the pipeline if a write fails, before the call of the write returns. */
  void failed(IOException cause) {
    counters.increment(Counter.SEND_ERROR);
    failure = cause;
  }

  /**
   * Sends a train that is not empty, or counts it as lost.
   *
   * @param socket socket of the train's local address; null if there is none
   * @param loopIsRunning whether the loop is running this call, so that it cannot be run to make
   *     room
   */
  void send(NettySocket socket, Transmit train, boolean loopIsRunning) {
    if (socket == null || !prepare(socket, train.path(), loopIsRunning)) {
      counters.add(Counter.SEND_ERROR, train.segments());
      return;
    }
    if (train.segments() == 1) {
      if (options.checkIcrc()) {
        sealer.seal(train, options.udpPort());
      }
      write(socket, train, 0, train.length(), 0);
    } else if (!socket.trains() || !sendTrain(socket, train)) {
      sendSingly(socket, train);
    }
  }

  /** Sets the fields of the IP header and waits for room in the buffers, as rxe does. */
  private boolean prepare(NettySocket socket, Path path, boolean loopIsRunning) {
    try {
      socket.network(path.trafficClass(), path.hopLimit());
    } catch (IOException | ChannelException refused) {
      return false;
    }
    if (socket.channel().isWritable()) {
      return true;
    }
    if (loopIsRunning) {
      return false;
    }
    long deadline = System.nanoTime() + SEND_PATIENCE_NS;
    while (!socket.channel().isWritable() && System.nanoTime() - deadline < 0) {
      loop.run(deadline - System.nanoTime() > 0 ? deadline - System.nanoTime() : -1);
    }
    return socket.channel().isWritable();
  }

  /** Sends a train as one; false if the kernel refuses trains. */
  private boolean sendTrain(NettySocket socket, Transmit train) {
    if (options.checkIcrc()) {
      sealer.seal(train, options.udpPort());
    }
    long errors = counters.get(Counter.SEND_ERROR);
    if (write(socket, train, 0, train.length(), train.segmentSize())) {
      return true;
    }
    counters.add(Counter.SEND_ERROR, errors - counters.get(Counter.SEND_ERROR));
    counters.increment(Counter.GSO_REFUSED);
    return false;
  }

  private void sendSingly(NettySocket socket, Transmit train) {
    if (options.checkIcrc()) {
      sealer.sealSingly(train, options.udpPort());
    }
    boolean all = true;
    int at = 0;
    for (int k = 0; k < train.segments(); k++) {
      int size = train.sizeOf(k);
      all &= write(socket, train, at, size, 0);
      at += size;
    }
    if (all) {
      socket.refuseTrains();
    }
  }

  /** Writes bytes; whether they were sent or queued without an error. */
  private boolean write(NettySocket socket, Transmit train, int at, int length, int segmentSize) {
    ByteBuf copy = PooledByteBufAllocator.DEFAULT.directBuffer(length);
    ByteBuffer bytes = train.buffer();
    int position = bytes.position();
    int limit = bytes.limit();
    bytes.limit(at + length).position(at);
    copy.writeBytes(bytes);
    bytes.limit(limit).position(position);
    InetSocketAddress peer = peer(socket, train.path());
    DatagramPacket packet =
        segmentSize > 0
            ? new SegmentedDatagramPacket(copy, segmentSize, peer)
            : new DatagramPacket(copy, peer);
    failure = null;
    socket.channel().writeAndFlush(packet, socket.channel().voidPromise());
    return failure == null;
  }

  private InetSocketAddress peer(NettySocket socket, Path path) {
    InetSocketAddress peer = peers.get(path);
    if (peer == null) {
      if (peers.size() == MOST_PEERS_REMEMBERED) {
        peers.clear();
      }
      peer =
          SocketFactory.address(
              path.remoteHigh(), path.remoteLow(), options.udpPort(), socket.scope());
      peers.put(path, peer);
    }
    return peer;
  }
}
