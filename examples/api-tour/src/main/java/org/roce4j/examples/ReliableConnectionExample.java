package org.roce4j.examples;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The four operations of a reliable connection: the server sends a message, which the client
 * receives; then the client reads from the server's memory and writes to it, and the server's
 * program notices neither.
 *
 * <p>Both sides run on one thread here and pass each other what they must know directly. Two
 * processes would exchange it over TCP or through the communication manager.
 */
public final class ReliableConnectionExample {
  private static final int SIZE = 64;
  private static final int PORT = 1;
  private static final int GID_INDEX = 0;

  private ReliableConnectionExample() {}

  /** Plays on two emulated devices. */
  public static void main(String[] args) {
    try (Context server = Verbs.device("roce0").open();
        Context client = Verbs.device("roce1").open()) {
      run(server, client, System.out);
    }
  }

  static void run(Context serverDevice, Context clientDevice, PrintStream out) {
    try (Side server = new Side(serverDevice);
        Side client = new Side(clientDevice)) {
      ConnectionData ofServer = server.data();
      ConnectionData ofClient = client.data();
      client.postReceive(); // before the server can send
      server.connect(ofClient);
      client.connect(ofServer);

      server.write("SEND operation");
      server.post(WrOpcode.SEND, null);
      server.awaitCompletion();
      client.awaitCompletion();
      out.println("the client received:        " + client.read());

      server.write("RDMA read operation");
      client.post(WrOpcode.RDMA_READ, ofServer);
      client.awaitCompletion();
      out.println("the client read:            " + client.read());

      client.write("RDMA write operation");
      client.post(WrOpcode.RDMA_WRITE, ofServer);
      client.awaitCompletion();
      out.println("the server's memory is now: " + server.read());
    }
  }

  /** The data that a side sends to the other: its memory, the key to it, and its queue pair. */
  record ConnectionData(long address, int rkey, int qpNum, int psn, Gid gid) {}

  /** Everything one side holds. */
  static final class Side implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final Context context;
    private final ProtectionDomain pd;
    private final MemoryRegion memory;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final SendRequestList sends = new SendRequestList(arena, 1, 1, 0);
    private final RecvRequestList receives = new RecvRequestList(arena, 1, 1);
    private final WorkCompletions completions = new WorkCompletions(arena, 1);
    private final int psn = new SecureRandom().nextInt(1 << 24);

    Side(Context context) {
      this.context = context;
      pd = context.allocPd();
      MemorySegment segment = arena.allocate(SIZE, 8);
      memory =
          pd.registerMemory(
              segment,
              AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE);
      cq = context.createCq(2);
      qp =
          pd.createQp(
              new QpInitAttr().qpType(QpType.RC).cq(cq).cap(new QpCapabilities(1, 1, 1, 1, 0)));
      qp.modify(
          new QpAttr()
              .qpState(QpState.INIT)
              .portNum(PORT)
              .pkeyIndex(0)
              .qpAccessFlags(AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE));
    }

    ConnectionData data() {
      Gid gid = context.queryGid(PORT, GID_INDEX);
      return new ConnectionData(memory.iova(), memory.rkey(), qp.qpNum(), psn, gid);
    }

    void connect(ConnectionData peer) {
      qp.modify(
          new QpAttr()
              .qpState(QpState.RTR)
              .pathMtu(context.queryPort(PORT).activeMtu())
              .destQpNum(peer.qpNum())
              .rqPsn(peer.psn())
              .maxDestRdAtomic(1)
              .minRnrTimer(12) // 0.64 ms
              .ahAttr(AhAttr.roce(peer.gid(), GID_INDEX)));
      qp.modify(
          new QpAttr()
              .qpState(QpState.RTS)
              .timeout(17) // 0.5 s, for a peer on a busy machine
              .retryCnt(7)
              .rnrRetry(7) // without end
              .sqPsn(psn)
              .maxRdAtomic(1));
    }

    void postReceive() {
      receives.clear().add().wrId(1).sge(memory, 0, SIZE);
      qp.postRecvOrThrow(receives);
    }

    void post(WrOpcode opcode, ConnectionData target) {
      sends.clear().add().wrId(2).opcode(opcode).flags(SendFlags.SIGNALED).sge(memory, 0, SIZE);
      if (target != null) {
        sends.remote(target.address(), target.rkey());
      }
      qp.postSendOrThrow(sends);
    }

    void awaitCompletion() {
      while (cq.poll(completions) == 0) {
        Thread.onSpinWait();
      }
      if (completions.status(0) != WcStatus.SUCCESS) {
        throw new IllegalStateException(completions.toString(0));
      }
    }

    void write(String text) {
      memory.memory().setString(0, text);
    }

    String read() {
      return memory.memory().getString(0);
    }

    @Override
    public void close() {
      qp.close();
      cq.close();
      memory.close();
      pd.close();
      arena.close();
    }
  }
}
