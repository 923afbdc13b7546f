package org.roce4j.connect;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.text.Wording;

/**
 * A reliable connection (RC) that carries messages and accesses the memory that the peer exposes.
 *
 * <pre>{@code
 * try (Listener listener = Connection.listen(device, 18515);
 *     Connection client = listener.accept()) {
 *   client.send("you said " + client.receiveString());
 * }
 *
 * try (Connection server = Connection.connect(device, "192.0.2.2", 18515)) {
 *   server.send("hello");
 *   System.out.println(server.receiveString());
 * }
 * }</pre>
 *
 * <p>Both sides find each other by the exchange of {@code ibv_rc_pingpong} over TCP (see {@code
 * docs/pingpong-protocol.md}), so the peer may be that program, started with {@code -g INDEX}, or
 * any program that uses the same exchange.
 */
public final class Connection extends MessageEnd {
  private static final int PSN_BOUND = 1 << 24;
  private static final long PAGE = 4096;
  private static final int EXPOSED =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_ATOMIC;
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

  private final ExchangedAddress own;

  private Connection(
      Context context, boolean ownsContext, ConnectionOptions options, Gid gid, int psn) {
    super(context, ownsContext, QpType.RC, options, options.messageBytes(), 0);
    own = new ExchangedAddress(0, qp().qpNum(), psn, gid);
  }

  /** Opens an end in INIT. */
  static Connection open(Context context, boolean ownsContext, ConnectionOptions options, int psn) {
    boolean made = false;
    try {
      Gid gid = localGid(context, RequiredArgument.check(options, "options"));
      Connection end = new Connection(context, ownsContext, options, gid, psn);
      made = true;
      return end;
    } finally {
      if (!made && ownsContext) {
        context.close();
      }
    }
  }

  static int randomPsn() {
    return new SecureRandom().nextInt(PSN_BOUND);
  }

  // ---- connect

  /**
   * Connects to a program that listens.
   *
   * @param device opened for this connection only, and closed with it
   * @param host name or address at which it listens on TCP; the devices' addresses are exchanged
   *     there
   * @param port TCP port, 1 to 65535; {@code ibv_rc_pingpong} uses 18515
   * @throws VerbsException ECONNREFUSED if nothing listens there; EHOSTUNREACH; ETIMEDOUT;
   *     ECONNRESET if the peer closes the TCP connection during the exchange; EPROTO if it uses
   *     another protocol; EINTR if the thread is interrupted; or the errno of a verb
   */
  public static Connection connect(RdmaDevice device, String host, int port) {
    return connect(device, host, port, ConnectionOptions.DEFAULT);
  }

  /** As {@link #connect(RdmaDevice, String, int)}. */
  public static Connection connect(
      RdmaDevice device, String host, int port, ConnectionOptions options) {
    Context context = RequiredArgument.check(device, "device").open();
    return connect(Connection.open(context, true, options, randomPsn()), host, port);
  }

  /** As {@link #connect(RdmaDevice, String, int)}, on a context that the caller keeps open. */
  public static Connection connect(Context context, String host, int port) {
    return connect(context, host, port, ConnectionOptions.DEFAULT);
  }

  /** As {@link #connect(Context, String, int)}. */
  public static Connection connect(
      Context context, String host, int port, ConnectionOptions options) {
    RequiredArgument.check(context, "context");
    return connect(Connection.open(context, false, options, randomPsn()), host, port);
  }

  private static Connection connect(Connection made, String host, int port) {
    boolean connected = false;
    try (AddressExchange exchange = AddressExchange.call(host, port, made.options().timeout())) {
      exchange.send(made.own);
      ExchangedAddress peer = exchange.receive();
      exchange.sayDone();
      made.toRts(peer);
      connected = true;
      return made;
    } finally {
      if (!connected) {
        made.close();
      }
    }
  }

  /**
   * Listens on a TCP port of every local address.
   *
   * @param device opened again for each connection
   * @param port TCP port; 0: any free one
   * @throws VerbsException EADDRINUSE
   */
  public static Listener listen(RdmaDevice device, int port) {
    return listen(device, port, ConnectionOptions.DEFAULT);
  }

  /** As {@link #listen(RdmaDevice, int)}. */
  public static Listener listen(RdmaDevice device, int port, ConnectionOptions options) {
    RequiredArgument.check(device, "device");
    return new Listener(() -> open(device.open(), true, options, randomPsn()), port, options);
  }

  /**
   * As {@link #listen(RdmaDevice, int)}; all connections share a context that the caller keeps
   * open.
   */
  public static Listener listen(Context context, int port) {
    return listen(context, port, ConnectionOptions.DEFAULT);
  }

  /** As {@link #listen(Context, int)}. */
  public static Listener listen(Context context, int port, ConnectionOptions options) {
    RequiredArgument.check(context, "context");
    return new Listener(() -> open(context, false, options, randomPsn()), port, options);
  }

  /** This end's address, for the peer. */
  ExchangedAddress ownAddress() {
    return own;
  }

  /** Moves the queue pair from INIT to RTS, connected to the peer. */
  void toRts(ExchangedAddress peer) {
    if (peer.gid().isIpv4Mapped() != own.gid().isIpv4Mapped()) {
      throw Errno.EAFNOSUPPORT.refusal(
          "the peer's address %s and ours, %s, are not of the same IP version; choose by"
              + " withGidIndex",
          peer.gid().addressText(), own.gid().addressText());
    }
    if (attributes().pathMtu() == null) {
      attributes().pathMtu(options().pathMtu() == null ? usualMtu() : options().pathMtu());
    }
    failures().peer(Wording.of("%s (QP 0x%x)", peer.gid().addressText(), peer.qpn()));
    AhAttr path = AhAttr.roce(peer.gid(), options().gidIndex()).onPort(options().portNum());
    QpBringUp.toRts(
        qp(), attributes().ahAttr(path).destQpNum(peer.qpn()).rqPsn(peer.psn()).sqPsn(own.psn()));
  }

  private Mtu usualMtu() {
    Mtu active = context().queryPort(options().portNum()).activeMtu();
    return active.compareTo(Mtu.MTU_1024) < 0 ? active : Mtu.MTU_1024;
  }

  // ---- memory

  /** Allocates memory, fills it with zeros, and exposes it; closing this connection frees it. */
  public ExposedBuffer expose(long bytes) {
    RequiredArgument.checkNotNegative(bytes, "bytes");
    return expose(own(Arena.ofShared()).allocate(bytes, PAGE));
  }

  /**
   * Exposes memory to the peer. To use it the peer needs its key: {@code
   * connection.send(buffer.key())} here, {@code connection.receive(RemoteBuffer.class)} there.
   *
   * @param memory native or mapped memory of a shared arena or the global arena; the caller keeps
   *     it alive
   * @throws VerbsException as {@link org.roce4j.verbs.ProtectionDomain#registerMemory}
   */
  public ExposedBuffer expose(MemorySegment memory) {
    return own(new ExposedBuffer(pd().registerMemory(memory, EXPOSED)));
  }

  /**
   * Writes bytes from any kind of memory into the peer's. More than {@link #messageBytes} bytes
   * take several requests. When the call returns the bytes are there; the peer's program is not
   * notified.
   *
   * @throws VerbsException ERANGE if the range exceeds the buffer; else as {@link
   *     #send(MemorySegment)}
   */
  public void write(RemoteBuffer to, long offset, MemorySegment bytes) {
    RequiredArgument.check(bytes, "bytes");
    RequiredArgument.checkReadable(bytes, "bytes");
    long remote = RequiredArgument.check(to, "to").at(offset, bytes.byteSize());
    for (long done = 0; done < bytes.byteSize(); ) {
      int part = (int) Math.min(messageBytes(), bytes.byteSize() - done);
      try (SendBuffers.Turn turn = begin()) {
        MemorySegment.copy(bytes, done, turn.buffer(), 0, part);
        turn.request(WrOpcode.RDMA_WRITE, part).remote(remote + done, to.rkey());
        turn.run("RDMA WRITE of " + part + " bytes");
      }
      done += part;
    }
  }

  /** As {@link #write(RemoteBuffer, long, MemorySegment)}. */
  public void write(RemoteBuffer to, long offset, byte[] bytes) {
    write(to, offset, MemorySegment.ofArray(RequiredArgument.check(bytes, "bytes")));
  }

  /**
   * Fills {@code into}, which may be any kind of memory, from the peer's memory. More than {@link
   * #messageBytes} bytes take several requests.
   *
   * @throws VerbsException ERANGE if the range exceeds the buffer; else as {@link
   *     #send(MemorySegment)}
   */
  public void read(RemoteBuffer from, long offset, MemorySegment into) {
    RequiredArgument.check(into, "into");
    RequiredArgument.checkReadable(into, "into");
    long remote = RequiredArgument.check(from, "from").at(offset, into.byteSize());
    for (long done = 0; done < into.byteSize(); ) {
      int part = (int) Math.min(messageBytes(), into.byteSize() - done);
      try (SendBuffers.Turn turn = begin()) {
        turn.request(WrOpcode.RDMA_READ, part).remote(remote + done, from.rkey());
        turn.run("RDMA READ of " + part + " bytes");
        MemorySegment.copy(turn.buffer(), 0, into, done, part);
      }
      done += part;
    }
  }

  /** As {@link #read(RemoteBuffer, long, MemorySegment)}. */
  public byte[] read(RemoteBuffer from, long offset, int length) {
    RequiredArgument.checkNotNegative(length, "length");
    byte[] bytes = new byte[length];
    read(from, offset, MemorySegment.ofArray(bytes));
    return bytes;
  }

  /**
   * Atomically adds to a 64-bit number in the peer's memory, in the byte order of the peer's
   * machine.
   *
   * @param offset a multiple of 8
   * @return the number before
   * @throws VerbsException as {@link #read(RemoteBuffer, long, MemorySegment)}
   */
  public long fetchAndAdd(RemoteBuffer at, long offset, long delta) {
    return atomic(WrOpcode.ATOMIC_FETCH_AND_ADD, at, offset, delta, 0);
  }

  /**
   * Atomically replaces a 64-bit number in the peer's memory if it equals {@code expected}; see
   * {@link #fetchAndAdd}.
   *
   * @return the number before; it was replaced if this equals {@code expected}
   */
  public long compareAndSwap(RemoteBuffer at, long offset, long expected, long replacement) {
    return atomic(WrOpcode.ATOMIC_CMP_AND_SWP, at, offset, expected, replacement);
  }

  private long atomic(WrOpcode opcode, RemoteBuffer at, long offset, long compareAdd, long swap) {
    long remote = RequiredArgument.check(at, "at").at(offset, Long.BYTES);
    if (remote % Long.BYTES != 0) {
      throw new VerbsException(
          Errno.EINVAL, "offset " + offset + " is not aligned: an atomic needs a multiple of 8");
    }
    try (SendBuffers.Turn turn = begin()) {
      turn.request(opcode, Long.BYTES).atomic(remote, at.rkey(), compareAdd, swap);
      turn.run(opcode + " of 8 bytes");
      return turn.buffer().get(WORD, 0);
    }
  }

  // ---- of messages

  @Override
  void address(SendRequestList request) {
    // A connected queue pair has its peer's address.
  }

  @Override
  DatagramAddress sender(MemorySegment buffer, WorkCompletions completion) {
    return null;
  }

  @Override
  public String toString() {
    return Wording.of("connection of QP 0x%x with %s", own.qpn(), failures().peer());
  }
}
