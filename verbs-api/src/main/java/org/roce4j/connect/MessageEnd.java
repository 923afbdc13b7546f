package org.roce4j.connect;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.text.Wording;

/**
 * One end that sends and receives messages: a queue pair with registered memory of its own, whose
 * receives are always posted. A message is one SEND of exactly its bytes: text is UTF-8 without a
 * NUL, a record is what {@link RecordCodec} says.
 *
 * <p>A send returns when it is complete: on a connection, when the peer's device has acknowledged
 * it. Therefore an error belongs to the call that sent. A receive returns the next message. Calls
 * wait at most {@link ConnectionOptions#timeout}, or their own {@link Duration}, then throw
 * ETIMEDOUT; a virtual network counts virtual time.
 *
 * <p>Thread-safe: one thread may send while another receives, and several senders or receivers take
 * turns, for which each waits within its own limit. A waiting thread can be interrupted (EINTR); a
 * message that is there is received, and the flag stays set for the next wait.
 *
 * <p>Messages allocate memory. A program for which nanoseconds matter uses the verbs, on objects
 * such as {@link #pd} and {@link #context}.
 */
public abstract sealed class MessageEnd implements AutoCloseable permits Connection, DatagramEnd {
  private static final long PAGE = 4096;

  /**
   * 0.5 s, for a peer that waits for a processor; with eight attempts 4.3 s in all, which is less
   * than the usual limit of a call.
   */
  private static final int ACK_TIMEOUT = 17;

  private final OwnedObjects owned = new OwnedObjects();
  private final AtomicBoolean open = new AtomicBoolean(true);
  private final ConnectionOptions options;
  private final int messageBytes;
  private final int headroom;
  private final Context context;
  private final ProtectionDomain pd;
  private final QueuePair qp;
  private final QpAttr attributes;
  private final Failures failures;
  private final SendBuffers outbox;
  private final Inbox inbox;

  /**
   * Creates an end in INIT and posts its receives.
   *
   * @param ownsContext whether to close the context with this end, or at once if the end cannot be
   *     created
   * @param headroom bytes before each received message: the network header of a datagram
   */
  MessageEnd(
      Context context,
      boolean ownsContext,
      QpType type,
      ConnectionOptions options,
      int messageBytes,
      int headroom) {
    this.context = RequiredArgument.check(context, "context");
    this.options = options;
    this.messageBytes = messageBytes;
    this.headroom = headroom;
    this.failures = new Failures(messageBytes);
    boolean made = false;
    try {
      if (ownsContext) {
        owned.add(context);
      }
      Arena arena = owned.add(Arena.ofShared());
      pd = owned.add(context.allocPd());
      int depth = options.depth();
      Slots incoming = new Slots(0, depth, headroom + messageBytes);
      Slots outgoing = new Slots(incoming.end(), depth, Math.max(messageBytes, Long.BYTES));
      MemorySegment memory = allocate(arena, outgoing.end());
      MemoryRegion region = owned.add(pd.registerMemory(memory, AccessFlags.LOCAL_WRITE));
      CompletionWait sent = new CompletionWait(context, depth, owned, arena);
      CompletionWait received = new CompletionWait(context, depth, owned, arena);
      outbox = new SendBuffers(sent, failures, region, outgoing, arena);
      inbox = new Inbox(received, failures, region, incoming, arena);
      QpInitAttr wanted = new QpInitAttr().qpType(type).sendCq(sent.cq()).recvCq(received.cq());
      qp = owned.add(pd.createQp(wanted.cap(new QpCapabilities(depth, depth, 1, 1))));
      attributes = QpBringUp.attributes().portNum(options.portNum()).timeout(ACK_TIMEOUT);
      options.attributes().accept(attributes);
      QpBringUp.to(QpState.INIT, qp, attributes);
      outbox.attach(qp);
      inbox.attach(qp);
      made = true;
    } finally {
      if (!made) {
        owned.close();
      }
    }
  }

  private MemorySegment allocate(Arena arena, long bytes) {
    try {
      return arena.allocate(bytes, PAGE);
    } catch (OutOfMemoryError e) {
      throw new VerbsException(
          Errno.ENOMEM,
          Wording.of(
              "there are no %d bytes for the buffers of this end; choose a smaller messageBytes"
                  + " (%d) or depth (%d)",
              bytes, messageBytes, options.depth()),
          e);
    }
  }

  /**
   * The local address.
   *
   * @throws VerbsException EINVAL if there is no such port, or its table has none at that index
   */
  static Gid localGid(Context context, ConnectionOptions options) {
    Gid gid = context.queryGid(options.portNum(), options.gidIndex());
    if (gid.isZero()) {
      throw Errno.EINVAL.refusal(
          "device %s has no address at GID index %d of port %d; choose by withGidIndex one of"
              + " %s",
          context.device().name(), options.gidIndex(), options.portNum(), context.queryGidTable());
    }
    return gid;
  }

  /** Adds the destination to a request. */
  abstract void address(SendRequestList request);

  // ---- send

  /** Sends text as UTF-8. */
  public final void send(String text) {
    send(Text.encode(RequiredArgument.check(text, "text")));
  }

  /** Sends bytes. */
  public final void send(byte[] message) {
    send(MemorySegment.ofArray(RequiredArgument.check(message, "message")));
  }

  /** Sends the remaining bytes of a heap or direct buffer, without changing its position. */
  public final void send(ByteBuffer message) {
    send(MemorySegment.ofBuffer(RequiredArgument.check(message, "message")));
  }

  /** Sends a record as {@link RecordCodec} encodes it. */
  public final void send(Record message) {
    send(RecordCodec.encodeAny(RequiredArgument.check(message, "message")));
  }

  /**
   * Sends bytes from any kind of memory. They are copied, so the memory need not be registered.
   *
   * @throws VerbsException EMSGSIZE if they are more than {@link #messageBytes}; EFAULT if the
   *     memory was freed or is another thread's; ETIMEDOUT if the peer has not acknowledged them in
   *     time, in which case they may still arrive
   */
  public final void send(MemorySegment message) {
    long length = RequiredArgument.check(message, "message").byteSize();
    RequiredArgument.checkReadable(message, "message");
    if (length > messageBytes) {
      throw Errno.EMSGSIZE.refusal(
          "the message has %d bytes and this end sends at most %d; give both ends a larger"
              + " messageBytes, or write it into an exposed buffer",
          length, messageBytes);
    }
    try (SendBuffers.Turn turn = begin()) {
      turn.buffer().asSlice(0, length).copyFrom(message);
      address(turn.request(WrOpcode.SEND, (int) length));
      turn.run("SEND of " + length + " bytes");
    }
  }

  /** Begins a request of any kind. */
  final SendBuffers.Turn begin() {
    return outbox.begin(nanoseconds(options.timeout()));
  }

  // ---- receive

  /** The next message. */
  public final Message receive() {
    return receive(options.timeout());
  }

  /**
   * The next message.
   *
   * @throws VerbsException ETIMEDOUT if none comes in time
   */
  public final Message receive(Duration timeout) {
    return next(timeout, this::message);
  }

  /** The next message as UTF-8 text. */
  public final String receiveString() {
    return receiveString(options.timeout());
  }

  /**
   * The next message as UTF-8 text.
   *
   * @throws VerbsException EILSEQ if it is not UTF-8, in which case it stays the next message; else
   *     as {@link #receive(Duration)}
   */
  public final String receiveString(Duration timeout) {
    return next(timeout, (buffer, completion) -> message(buffer, completion).text());
  }

  /** The next message as a record. */
  public final <R extends Record> R receive(Class<R> type) {
    return receive(type, options.timeout());
  }

  /**
   * The next message as a record.
   *
   * @throws VerbsException EBADMSG if it is another record or no record, in which case it stays the
   *     next message; EINVAL if {@link RecordCodec} has no encoding of the type; else as {@link
   *     #receive(Duration)}
   */
  public final <R extends Record> R receive(Class<R> type, Duration timeout) {
    RecordCodec<R> codec = RecordCodec.of(type);
    return next(timeout, (buffer, wc) -> codec.decode(message(buffer, wc).bytes()));
  }

  /**
   * Copies the next message into memory of any kind; see {@link #receive(MemorySegment, Duration)}.
   */
  public final int receive(MemorySegment into) {
    return receive(into, options.timeout());
  }

  /**
   * Copies the next message into memory of any kind and allocates nothing.
   *
   * @return its length in bytes
   * @throws VerbsException EMSGSIZE if it is longer than the memory, in which case it stays the
   *     next message; EFAULT if the memory was freed or is another thread's; else as {@link
   *     #receive(Duration)}
   */
  public final int receive(MemorySegment into, Duration timeout) {
    RequiredArgument.check(into, "into");
    RequiredArgument.checkReadable(into, "into");
    return next(
        timeout,
        (buffer, completion) -> {
          MemorySegment message = payload(buffer);
          if (message.byteSize() > into.byteSize()) {
            throw Errno.EMSGSIZE.refusal(
                "the message has %d bytes and the memory for it %d; receive it again into more",
                message.byteSize(), into.byteSize());
          }
          MemorySegment.copy(message, 0, into, 0, message.byteSize());
          return (int) message.byteSize();
        });
  }

  /**
   * Puts the next message at the buffer's position; see {@link #receive(MemorySegment, Duration)}.
   */
  public final int receive(ByteBuffer into) {
    return receive(into, options.timeout());
  }

  /**
   * Puts the next message at the buffer's position and moves the position behind it; see {@link
   * #receive(MemorySegment, Duration)}.
   */
  public final int receive(ByteBuffer into, Duration timeout) {
    RequiredArgument.check(into, "into");
    int bytes = receive(MemorySegment.ofBuffer(into), timeout);
    into.position(into.position() + bytes);
    return bytes;
  }

  private <T> T next(Duration timeout, Inbox.Reader<T> reader) {
    return inbox.next(nanoseconds(timeout), reader);
  }

  private Message message(MemorySegment buffer, WorkCompletions completion) {
    boolean immediate = (completion.flags(0) & WcFlags.WITH_IMM) != 0;
    return new Message(
        payload(buffer).toArray(ValueLayout.JAVA_BYTE),
        immediate ? OptionalInt.of(completion.immediate(0)) : OptionalInt.empty(),
        sender(buffer, completion));
  }

  private MemorySegment payload(MemorySegment buffer) {
    return buffer.asSlice(Math.min(headroom, buffer.byteSize()));
  }

  /** The sender of a datagram, or null on a connection. */
  abstract DatagramAddress sender(MemorySegment buffer, WorkCompletions completion);

  private static long nanoseconds(Duration timeout) {
    RequiredArgument.check(timeout, "timeout");
    long seconds = Math.min(timeout.getSeconds(), Integer.MAX_VALUE);
    RequiredArgument.checkNotNegative(seconds, "timeout");
    return seconds * 1_000_000_000L + timeout.getNano();
  }

  // ---- the verbs objects

  /** The length of the longest message that this end sends or receives, in bytes. */
  public final int messageBytes() {
    return messageBytes;
  }

  /** The device's context. */
  public final Context context() {
    return context;
  }

  /** The protection domain of this end's objects. */
  public final ProtectionDomain pd() {
    return pd;
  }

  /**
   * The queue pair. This end polls its completion queues, so the program posts its own requests on
   * another queue pair.
   */
  public final QueuePair qp() {
    return qp;
  }

  final ConnectionOptions options() {
    return options;
  }

  final QpAttr attributes() {
    return attributes;
  }

  final Failures failures() {
    return failures;
  }

  final SendBuffers outbox() {
    return outbox;
  }

  /** Makes this end close the object when it is closed. */
  final <T extends AutoCloseable> T own(T object) {
    return owned.add(object);
  }

  /**
   * Closes this end and frees its memory; calls of other threads throw ENOTCONN. The peer is not
   * notified: its next send on a connection fails with RETRY_EXC_ERR. So does its last send, if the
   * network loses the acknowledgement; therefore programs that end a conversation agree on a last
   * message.
   */
  @Override
  public final void close() {
    if (!open.compareAndSet(true, false)) {
      return;
    }
    failures.closed();
    wakeWaitingThreads();
    outbox.turns().beginAtLast();
    inbox.turns().beginAtLast();
    try {
      owned.close();
    } finally {
      inbox.turns().end();
      outbox.turns().end();
    }
  }

  private void wakeWaitingThreads() {
    if (!outbox.turns().isTaken() && !inbox.turns().isTaken()) {
      return;
    }
    try {
      qp.modify(new QpAttr().qpState(QpState.ERR));
    } catch (VerbsException e) {
      // The context is closed or the device has failed; either ends every wait.
    }
  }
}
