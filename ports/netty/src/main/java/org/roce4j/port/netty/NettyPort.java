package org.roce4j.port.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IcrcJudge;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.GidAddress;

/**
 * A port on an event loop of Netty that has no thread of its own: the driver that adopts the port
 * runs the loop by calling {@link #receive} and {@link #await}.
 *
 * <p>Each train is copied once on its way out, because Netty may keep it beyond the call, and each
 * datagram once on its way in, because Netty owns its buffer: 30 to 80 ns per 4 KiB.
 */
// Failures come through exceptionCaught or show as a closed channel, so futures are ignored.
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyPort implements Port {
  /**
   * The greatest number of datagrams kept while {@link #receive} is not running, as during {@link
   * #await}.
   */
  private static final int MOST_WAITING = 4096;

  private static final int LONGEST_DATAGRAM = 1 << 16;

  /** Unsent bytes above which a train waits, in addition to the kernel's buffer. */
  private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(1, 256 << 10);

  private static final long CLOSE_PATIENCE_MS = 1000;

  /** A datagram that arrived while {@link #receive} was not running. */
  private record Arrival(NettySocket socket, DatagramPacket packet, int trainIndex) {}

  private final PortCapabilities capabilities;
  private final ManualIoEventLoop loop;
  private final Counters counters = new Counters();
  private final TrainSender sender;
  private final IcrcJudge judge;
  private final PortSockets sockets;
  private final ByteBuffer area = ByteBuffer.allocateDirect(LONGEST_DATAGRAM);
  private final MemorySegment memory = MemorySegment.ofBuffer(area);
  private final Inbound inbound = new Inbound();
  private final ArrayDeque<Arrival> waiting = new ArrayDeque<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile Thread owner;

  private DatagramSink sink;
  private int taken;
  private boolean running;
  private Throwable sinkFailure;
  private InetSocketAddress lastSender;
  private long lastSenderHigh;
  private long lastSenderLow;

  NettyPort(PortOptions options, SocketFactory factory) {
    wakeAllocator();
    sockets = new PortSockets(options, factory);
    loop = new ManualIoEventLoop(null, factory.handlers());
    boolean trains = factory.trains();
    IdentificationRule rule = trains ? IdentificationRule.TRAIN_INDEX : factory.singles();
    int maxTrain = trains ? Transmit.MAX_SEGMENTS : 1;
    capabilities =
        new PortCapabilities(factory.name(), false, maxTrain, rule, true, false, false, true);
    sender = new TrainSender(options, new IcrcSealer(rule, options.udpPort()), loop, counters);
    judge = new IcrcJudge(counters, options.udpPort(), options.checkIcrc());
    sockets.addresses().forEach(this::register);
  }

  /**
   * Allocates a buffer in advance. The allocator's first buffer initialises the flight recorder for
   * Netty's own events, which takes some tenths of a second on a busy machine, longer than the
   * first packet's ACK timeout.
   */
  private static void wakeAllocator() {
    PooledByteBufAllocator.DEFAULT.directBuffer().release();
  }

  private void register(NettySocket socket) {
    socket.channel().config().setOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
    socket.channel().config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT);
    socket.channel().pipeline().addLast(new Arrivals(socket));
    EventLoop registrar = loop;
    registrar.register(socket.channel());
  }

  /** Receives the datagrams that Netty reads from one socket. */
  private final class Arrivals extends ChannelInboundHandlerAdapter {
    private final NettySocket socket;

    Arrivals(NettySocket socket) {
      this.socket = socket;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      arrived(socket, (DatagramPacket) message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (cause instanceof IOException failure) {
        sender.failed(failure);
      } else {
        sinkFailure = cause;
      }
    }
  }

  @Override
  public PortCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public synchronized void adopt() {
    if (owner == null) {
      loop.setOwningThread(Thread.currentThread());
      owner = Thread.currentThread();
      loop.runNow();
    }
    requireOwner();
  }

  private void requireOwner() {
    Thread owner = this.owner;
    if (owner == null) {
      adopt();
    } else if (owner != Thread.currentThread()) {
      throw new IllegalStateException(
          "this port is driven by thread " + owner.getName() + ", which adopted it");
    }
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    if (over()) {
      return 0;
    }
    requireOwner();
    this.sink = sink;
    taken = 0;
    try {
      while (taken < budget && !waiting.isEmpty()) {
        Arrival arrival = waiting.poll();
        handOver(arrival.socket, arrival.packet, arrival.trainIndex);
      }
      if (taken < budget) {
        running = true;
        loop.runNow();
      }
    } finally {
      running = false;
      this.sink = null;
    }
    over();
    throwSinkFailure();
    return taken;
  }

  /** Throws the exception of a sink, which Netty has passed through its pipeline. */
  private void throwSinkFailure() {
    Throwable failure = sinkFailure;
    sinkFailure = null;
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException("a sink threw", failure);
    }
  }

  private void arrived(NettySocket socket, DatagramPacket packet) {
    int trainIndex = socket.trains() ? socket.nextTrainIndex() : 0;
    if (sink != null) {
      handOver(socket, packet, trainIndex);
    } else if (waiting.size() < MOST_WAITING) {
      waiting.add(new Arrival(socket, packet, trainIndex));
    } else {
      packet.release();
      counters.increment(Counter.SOCKET_RECEIVE_DROPPED);
    }
  }

  private void handOver(NettySocket socket, DatagramPacket packet, int trainIndex) {
    try {
      ByteBuf content = packet.content();
      int length = content.readableBytes();
      content.getBytes(content.readerIndex(), area.clear().limit(length));
      area.clear();
      from(packet.sender());
      inbound
          .payload(area, memory, 0, length)
          .local(socket.high(), socket.low())
          .heardBy(socket.heardHigh(), socket.heardLow())
          .network(Inbound.UNKNOWN, Inbound.UNKNOWN);
      judge.judge(inbound, trainIndex, nowNs());
      taken++;
      sink.datagram(inbound);
    } finally {
      packet.release();
    }
  }

  private void from(InetSocketAddress sender) {
    if (!sender.equals(lastSender)) {
      lastSender = sender;
      lastSenderHigh = GidAddress.highOf(sender.getAddress());
      lastSenderLow = GidAddress.lowOf(sender.getAddress());
    }
    inbound.source(lastSenderHigh, lastSenderLow, sender.getPort());
  }

  @Override
  public void send(Transmit train) {
    if (train.isEmpty() || over()) {
      return;
    }
    requireOwner();
    sender.send(sockets.of(train.path()), train, running);
  }

  @Override
  public void await(long timeoutNs) {
    if (over()) {
      return;
    }
    requireOwner();
    if (timeoutNs > 0 && waiting.isEmpty() && !woken.getAndSet(false)) {
      loop.run(Deadlines.isSet(timeoutNs) ? timeoutNs : 0);
      woken.set(false);
      over();
    }
  }

  @Override
  public void wakeup() {
    // A task, unlike a wake-up of the loop, also keeps the loop from blocking afterwards.
    if (!closed.get() && woken.compareAndSet(false, true)) {
      try {
        loop.execute(NettyPort::nothing);
      } catch (RejectedExecutionException closedMeanwhile) {
        woken.set(false); // the loop has ended, so that no thread waits
      }
    }
  }

  private static void nothing() {}

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  @Override
  public Counters counters() {
    return counters;
  }

  @Override
  public synchronized void join(Gid group, Gid own) {
    if (!group.isMulticast()) {
      throw new VerbsException(Errno.EINVAL, group + " is no multicast group");
    }
    try {
      NettySocket socket = sockets.join(group, own);
      if (socket != null) {
        register(socket);
      }
    } catch (IOException | ChannelException e) {
      throw new VerbsException(Errno.EADDRNOTAVAIL, "cannot join " + group + ": " + e, e);
    }
  }

  @Override
  public synchronized void leave(Gid group, Gid own) {
    NettySocket socket = sockets.leave(group, own);
    if (socket != null) {
      socket.channel().close();
    }
  }

  @Override
  public synchronized void add(Gid address) {
    register(sockets.add(address));
  }

  @Override
  public synchronized void remove(Gid address) {
    NettySocket socket = sockets.remove(address);
    if (socket != null) {
      socket.channel().close();
      if (owner == Thread.currentThread()) {
        loop.runNow(); // a selector releases a closed socket only at its next selection
      }
    }
  }

  /**
   * If the owner has ended without closing the port, this call can close only the sockets and
   * release what waits; NIO then releases the address when the garbage collector finds the loop.
   */
  @Override
  public synchronized void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (owner == null) {
      loop.setOwningThread(Thread.currentThread());
      owner = Thread.currentThread();
    }
    if (owner == Thread.currentThread()) {
      over();
    } else if (owner.isAlive()) {
      // A task, unlike a wake-up of the loop, also ends a wait that is about to begin.
      loop.execute(NettyPort::nothing);
      awaitOwner();
    } else {
      sockets.closeUnderneath();
      releaseWaiting();
    }
  }

  /** Whether the port is closed. If so, the owner releases what only it may release. */
  private boolean over() {
    if (!closed.get()) {
      return false;
    }
    if (owner == Thread.currentThread() && !running && !loop.isTerminated()) {
      shutDown();
    }
    return true;
  }

  private void shutDown() {
    sockets.forEach(socket -> socket.channel().close());
    // A selector releases a closed socket only at its next selection.
    loop.runNow();
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    while (!loop.isTerminated()) {
      loop.runNow();
    }
    releaseWaiting();
  }

  private void releaseWaiting() {
    waiting.forEach(arrival -> arrival.packet.release());
    waiting.clear();
  }

  /**
   * Waits for the owner, which shuts down when its wait ends. If it is busy elsewhere, closes the
   * sockets here.
   */
  private void awaitOwner() {
    try {
      if (!loop.awaitTermination(CLOSE_PATIENCE_MS, TimeUnit.MILLISECONDS)) {
        closeWithoutOwner();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closeWithoutOwner();
    }
  }

  /** What waits is the owner's for as long as it lives, and it may end without another call. */
  private void closeWithoutOwner() {
    sockets.closeUnderneath();
    Thread.startVirtualThread(
        () -> {
          try {
            owner.join();
            releaseWaiting();
          } catch (InterruptedException e) {
            throw new AssertionError("nobody knows this thread", e);
          }
        });
  }
}
