package org.roce4j.tools.perf.exchange;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/** A connection made by {@code rdma_cm}; each message is a SEND. For perftest's -R. */
public final class CmLine implements Line {
  private static final int LONGEST = 256;
  private static final int RECEIVES = 4;
  private static final int TIMEOUT_MS = 2000;
  private static final long BETWEEN_LOOKS_NS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long BETWEEN_CALLS_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final CmId id;
  private final Duration patience;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment sent = arena.allocate(LONGEST);
  private final MemorySegment received = arena.allocate((long) RECEIVES * LONGEST);
  private final MemoryRegion sentMr;
  private final MemoryRegion receivedMr;
  private final WorkCompletions completion = new WorkCompletions(arena, 1);
  private boolean arrived;

  private CmLine(CmId id, Duration patience) {
    this.id = id;
    this.patience = patience;
    id.createQp(null, new QpInitAttr().cap(new QpCapabilities(1, RECEIVES, 1, 1)).sqSigAll(true));
    sentMr = RdmaVerbs.regMsgs(id, sent);
    receivedMr = RdmaVerbs.regMsgs(id, received);
    for (int place = 0; place < RECEIVES; place++) {
      post(place);
    }
  }

  /** Calls a server, until it listens. */
  public static CmLine connect(
      RdmaCm cm, InetSocketAddress own, InetSocketAddress server, Duration patience) {
    long beginNs = System.nanoTime();
    while (true) {
      try {
        return call(cm, own, server, patience);
      } catch (VerbsException e) {
        if (e.errno() != Errno.ECONNREFUSED || System.nanoTime() - beginNs > patience.toNanos()) {
          throw e;
        }
        LockSupport.parkNanos(BETWEEN_CALLS_NS);
      }
    }
  }

  private static CmLine call(
      RdmaCm cm, InetSocketAddress own, InetSocketAddress server, Duration patience) {
    CmId id = cm.createId(PortSpace.TCP);
    CmLine line = null;
    boolean connected = false;
    try {
      id.resolveAddr(own, server, TIMEOUT_MS);
      id.resolveRoute(TIMEOUT_MS);
      line = new CmLine(id, patience);
      id.connect(new ConnParam().responderResources(0).initiatorDepth(0));
      connected = true;
      return line;
    } finally {
      if (!connected && line != null) {
        line.close();
      } else if (!connected) {
        id.close();
      }
    }
  }

  /** A port at which a client may call as soon as it is made; used by one thread. */
  public static final class CmListener implements AutoCloseable {
    private final EventChannel requests;
    private final CmId id;

    /** Listens. */
    public CmListener(RdmaCm cm, InetSocketAddress at) {
      requests = cm.createEventChannel();
      id = requests.createId(PortSpace.TCP);
      id.bindAddr(at);
      id.listen(1);
    }

    /**
     * Waits for a client.
     *
     * @param acceptTimeout how long it may take to come; zero: for ever
     */
    public CmLine accept(Duration patience, Duration acceptTimeout) {
      CmEvent request =
          acceptTimeout.isZero()
              ? requests.getCmEvent()
              : requests.getCmEvent(acceptTimeout.toNanos());
      if (request == null) {
        throw PeerConnection.PeerListener.noClient("rdma_cm port " + id.srcPort(), acceptTimeout);
      }
      request.ack();
      if (!(request instanceof CmEvent.ConnectRequest)) {
        throw ToolFailure.atRunTime("no client came: " + request);
      }
      request.id().migrate(null);
      CmLine line = new CmLine(request.id(), patience);
      line.id.accept(new ConnParam().responderResources(0).initiatorDepth(0));
      return line;
    }

    /** Frees the port. */
    @Override
    public void close() {
      id.close();
      requests.close();
    }
  }

  private void post(int place) {
    RdmaVerbs.postRecv(id, place, received.asSlice((long) place * LONGEST, LONGEST), receivedMr);
  }

  @Override
  public void write(byte[] message) {
    MemorySegment.copy(message, 0, sent, JAVA_BYTE, 0, message.length);
    RdmaVerbs.postSend(id, 0, sent.asSlice(0, message.length), sentMr, SendFlags.SIGNALED);
    WorkCompletions done = new WorkCompletions(arena, 1);
    await(id.sendCq(), done, "the acknowledgement of a message");
  }

  @Override
  public byte[] read(int length, String what) {
    if (!arrived) {
      await(id.recvCq(), completion, what);
    }
    arrived = false;
    int place = (int) completion.wrId(0);
    byte[] message = new byte[length];
    demandSuccess(completion, what);
    if (completion.byteLength(0) != length) {
      throw ToolFailure.atRunTime(
          "%s sent %d bytes where %s was due, %d bytes: both sides need the same test",
          peer(), completion.byteLength(0), what, length);
    }
    MemorySegment.copy(received, JAVA_BYTE, (long) place * LONGEST, message, 0, length);
    post(place);
    return message;
  }

  private void await(CompletionQueue cq, WorkCompletions into, String what) {
    long beginNs = System.nanoTime();
    while (cq.pollOrThrow(into) == 0) {
      if (System.nanoTime() - beginNs > patience.toNanos()) {
        throw ToolFailure.atRunTime(
            "%s did not send %s within %d s; a slower peer needs a larger --patience here",
            peer(), what, patience.toSeconds());
      }
      hear();
      LockSupport.parkNanos(BETWEEN_LOOKS_NS);
    }
    demandSuccess(into, what);
  }

  /** When the peer has disconnected, the requests that wait for it are flushed. */
  private void hear() {
    try (CmEvent event = id.channel().getCmEvent(0)) {
      if (event instanceof CmEvent.Disconnected) {
        id.disconnect();
      }
    }
  }

  private void demandSuccess(WorkCompletions of, String what) {
    if (of.status(0) != WcStatus.SUCCESS) {
      throw ToolFailure.atRunTime(
          "%s hung up before it sent %s (%s); its own output may say why",
          peer(), what, of.toString(0));
    }
  }

  @Override
  public void watch() {
    // Nothing to start: the receives are posted.
  }

  @Override
  public boolean spoke() {
    hear();
    arrived = arrived || id.recvCq().pollOrThrow(completion) > 0;
    return arrived;
  }

  @Override
  public String peer() {
    return id.peerAddr().getAddress().getHostAddress();
  }

  @Override
  public boolean textual() {
    return false;
  }

  @Override
  public void close() {
    try (arena) {
      id.destroyQp();
      sentMr.close();
      receivedMr.close();
      id.close();
    }
  }
}
