package org.roce4j.junit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.SilenceDetector;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The verbs objects of one end of a test: a context, a protection domain, a memory region, a
 * completion queue with a channel, and a queue pair in RESET. {@link #connect} connects two ends.
 * They use port 1 and GID index 0. For messages use an {@link org.roce4j.connect.RcPair}.
 *
 * <pre>{@code
 * try (RdmaEnd client = new RdmaEnd(a, QpType.RC);
 *     RdmaEnd server = new RdmaEnd(b, QpType.RC)) {
 *   RdmaEnd.connect(client, server, attr -> attr.timeout(16));
 *   server.postReceive(1, 0, 64);
 *   client.postSend(2, 0, 5);
 *   assertEquals(5, server.next().succeeded().bytes());
 * }
 * }</pre>
 *
 * <p>The verbs objects are thread-safe; the methods of this class that post and poll are not.
 */
public final class RdmaEnd implements AutoCloseable {
  /** All access rights of a region except MW_BIND. */
  public static final int ALL_RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;

  /** The number of requests that each queue of a queue pair holds. */
  public static final int DEPTH = 64;

  private static final long USUAL_BYTES = 1 << 16;
  private static final int USUAL_CQE = 256;
  private static final int INLINE = 64;
  private static final int ACK_TIMEOUT = 17;
  private static final long PATIENCE_NS = 20_000_000_000L;

  private final Arena arena = Arena.ofShared();
  private final Deque<AutoCloseable> owned = new ArrayDeque<>();
  private final Context context;
  private final ProtectionDomain pd;
  private final CompletionChannel channel;
  private final CompletionQueue cq;
  private final MemoryRegion region;
  private final QueuePair qp;
  private final SendRequestList sends = new SendRequestList(arena, 1, 1, 0);
  private final RecvRequestList receives = new RecvRequestList(arena, 1, 1);
  private final WorkCompletions completions = new WorkCompletions(arena, 16);
  private final Deque<Completion> taken = new ArrayDeque<>();
  private AddressHandle handle;
  private int peerQpn;

  /** An end with 64 KiB of memory. */
  public RdmaEnd(Context context, QpType type) {
    this(context, type, USUAL_BYTES, 0);
  }

  /**
   * An end on a context that stays open when the end is closed.
   *
   * @param bytes bytes of memory, zeroed and registered with {@link #ALL_RIGHTS}
   * @param vector completion vector; on a device with several engines it selects the engine of the
   *     queue pairs
   */
  public RdmaEnd(Context context, QpType type, long bytes, int vector) {
    this.context = context;
    owned.push(arena::close);
    pd = own(context.allocPd());
    channel = own(context.createCompletionChannel());
    cq = own(context.createCq(USUAL_CQE, null, channel, vector));
    region = own(pd.registerMemory(arena.allocate(bytes, 4096), ALL_RIGHTS));
    qp = createQp(type, null);
  }

  /** An end on a context of its own. Closing the end closes the context and all its objects. */
  public static RdmaEnd open(RdmaDevice device, QpType type, long bytes) {
    RdmaEnd end = new RdmaEnd(device.open(), type, bytes, 0);
    end.owned.clear();
    end.owned.push(end.arena::close);
    end.owned.push(end.context);
    return end;
  }

  private <T extends AutoCloseable> T own(T object) {
    owned.push(object);
    return object;
  }

  /** The context of its objects; the program that opened it closes it. */
  public Context context() {
    return context;
  }

  /** GID 0 of port 1. */
  public Gid gid() {
    return context.queryGid(1, 0);
  }

  /** The protection domain of its region and queue pair. */
  public ProtectionDomain pd() {
    return pd;
  }

  /** The channel of {@link #cq}. */
  public CompletionChannel channel() {
    return channel;
  }

  /** The completion queue of all sends and receives. */
  public CompletionQueue cq() {
    return cq;
  }

  /** Its memory region, with {@link #ALL_RIGHTS}. */
  public MemoryRegion region() {
    return region;
  }

  /** The memory of {@link #region}. */
  public MemorySegment memory() {
    return region.memory();
  }

  /** Its queue pair; sends and receives complete on the same queue. */
  public QueuePair qp() {
    return qp;
  }

  /** The counter of the device with this name; 0 if it has none. */
  public long counter(String name) {
    return context.counters().getOrDefault(name, 0L);
  }

  // ---- queue pairs

  /**
   * Another queue pair in RESET on the same completion queue: {@link #DEPTH} sends and receives of
   * one element, 64 bytes inline. It is destroyed with this end.
   *
   * @param srq shared receive queue, or null
   */
  public QueuePair createQp(QpType type, SharedReceiveQueue srq) {
    int receives = srq == null ? DEPTH : 0;
    return own(
        pd.createQp(
            new QpInitAttr()
                .qpType(type)
                .cq(cq)
                .srq(srq)
                .cap(new QpCapabilities(DEPTH, receives, 1, srq == null ? 1 : 0, INLINE))));
  }

  /**
   * Attributes that connect a queue pair to {@code peer}: those of {@link QpBringUp#attributes()}
   * with ACK timeout 17 (0.5 s), so that a peer whose thread waits for a processor is not given up.
   */
  public static QpAttr toward(QueuePair peer) {
    return QpBringUp.attributes(AhAttr.roce(peer.context().queryGid(1, 0), 0), peer.qpNum())
        .timeout(ACK_TIMEOUT);
  }

  /**
   * Brings two ends of one type to RTS and connects them; datagram ends send to each other. A
   * receive of a datagram needs 40 bytes more than the message, for the network header.
   *
   * @param attributes changes the attributes of {@link #toward}, called for each queue pair
   */
  public static void connect(RdmaEnd a, RdmaEnd b, Consumer<QpAttr> attributes) {
    a.toRts(b, attributes);
    b.toRts(a, attributes);
  }

  private void toRts(RdmaEnd peer, Consumer<QpAttr> attributes) {
    if (qp.qpType() == QpType.UD) {
      addresses(peer.qp);
    }
    QpAttr attr = toward(peer.qp);
    attributes.accept(attr);
    QpBringUp.toRts(qp, attr);
  }

  /** Sets the destination of datagrams of {@link #request}. */
  private void addresses(QueuePair peer) {
    handle = own(pd.createAh(AhAttr.roce(peer.context().queryGid(1, 0), 0)));
    peerQpn = peer.qpNum();
  }

  // ---- requests

  /**
   * A list of one signaled request, which the caller completes and posts. The list is reused.
   *
   * @param length number of bytes of the region from {@code offset}; 0: no scatter-gather element
   */
  public SendRequestList request(long wrId, WrOpcode opcode, long offset, int length) {
    sends.clear().add().wrId(wrId).opcode(opcode).flags(SendFlags.SIGNALED);
    if (handle != null) {
      sends.ud(handle, peerQpn, QpBringUp.QKEY);
    }
    return length == 0 ? sends : sends.sge(region, offset, length);
  }

  /** A list of one receive request, which the caller posts; see {@link #request}. */
  public RecvRequestList receive(long wrId, long offset, int length) {
    receives.clear().add().wrId(wrId);
    return length == 0 ? receives : receives.sge(region, offset, length);
  }

  /**
   * Posts a SEND of bytes of the region.
   *
   * @throws VerbsException with the errno of {@code ibv_post_send}
   */
  public void postSend(long wrId, long offset, int length) {
    qp.postSendOrThrow(request(wrId, WrOpcode.SEND, offset, length));
  }

  /**
   * Posts a receive into the region.
   *
   * @throws VerbsException with the errno of {@code ibv_post_recv}
   */
  public void postReceive(long wrId, long offset, int length) {
    qp.postRecvOrThrow(receive(wrId, offset, length));
  }

  // ---- completions and events

  /** The completions so far that were not taken yet. On the fabric, polling lets time pass. */
  public List<Completion> poll() {
    take();
    List<Completion> all = new ArrayList<>(taken);
    taken.clear();
    return all;
  }

  private void take() {
    int count = cq.pollOrThrow(completions);
    for (int i = 0; i < count; i++) {
      taken.add(Completion.of(cq, completions, i));
    }
  }

  /**
   * The next completion.
   *
   * @throws AssertionError if none comes within 20 s of real time
   */
  public Completion next() {
    await(
        () -> {
          take();
          return taken.peek();
        });
    return taken.remove();
  }

  /** The next completions, in their order; see {@link #next()}. */
  public List<Completion> next(int count) {
    List<Completion> all = new ArrayList<>();
    while (all.size() < count) {
      all.add(next());
    }
    return all;
  }

  /**
   * The next asynchronous event, acknowledged.
   *
   * @throws AssertionError if none comes within 20 s of real time
   */
  public AsyncEvent event() {
    AsyncEvent event =
        await(
            () -> {
              take();
              return context.pollAsyncEvent();
            });
    event.ack();
    return event;
  }

  private <T> T await(Supplier<T> what) {
    long startNs = System.nanoTime();
    for (T found = what.get(); ; found = what.get()) {
      if (found != null) {
        return found;
      }
      if (System.nanoTime() - startNs > PATIENCE_NS) {
        throw new AssertionError("nothing came within 20 s on " + qp.describe() + situation());
      }
      Thread.onSpinWait();
    }
  }

  private String situation() {
    return context.device() instanceof EmulatedDevice device
        ? ": " + String.join("; ", SilenceDetector.situation(List.of(device)))
        : "";
  }

  /** Destroys what was made by this class, and frees the memory. */
  @Override
  public void close() {
    while (!owned.isEmpty()) {
      try {
        owned.pop().close();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public String toString() {
    return "end of " + qp;
  }
}
