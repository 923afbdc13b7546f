package org.roce4j.examples.flows;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
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
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Flow 26: send_bw as the manual sketches it; {@code ./roce4j perf send_bw} is the real one. */
final class SendBandwidthFlow {
  private static final int ITERATIONS = 100;
  private static final int BYTES = 4096;

  private SendBandwidthFlow() {}

  static void run(List<RdmaDevice> devices, PrintStream out) throws Exception {
    try (ServerSocket listener =
        new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) { // 1. create_server_socket
      CompletableFuture<Void> server =
          Peers.start("send-bw-server", () -> serve(devices.get(1), listener));
      call(devices.get(0), listener.getLocalPort(), out);
      server.join();
    }
  }

  private static void serve(RdmaDevice device, ServerSocket listener) throws IOException {
    try (Resources res = new Resources(device);
        Socket client = listener.accept()) { // 2. accept_connection
      Peer peer = res.exchange(client); // 3. exchange_qp_info
      QpBringUp.to(QpState.RTR, res.qp, peer.attributes()); // 4. modify_qp_to_rtr
      QpBringUp.to(QpState.RTS, res.qp, peer.attributes()); // 5. modify_qp_to_rts
      res.postReceive(); // 6. post_receive
      for (int i = 0; i < ITERATIONS; i++) { // 7. the test
        res.pollCompletion(); // poll_completion
        res.postReceive(); // post_receive
      }
      client.getOutputStream().write(1); // 8. send_result
    }
  }

  private static void call(RdmaDevice device, int port, PrintStream out) throws IOException {
    try (Resources res = new Resources(device);
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) { // 1. connect
      Peer peer = res.exchange(server); // 2. exchange_qp_info
      QpBringUp.toRts(res.qp, peer.attributes()); // 3. modify_qp_to_rts
      res.region.memory().fill((byte) 7); // 4. fill_buffer
      long start = System.nanoTime();
      for (int i = 0; i < ITERATIONS; i++) { // 5. the test
        res.postSend(); // post_send
        res.pollCompletion(); // poll_completion
      }
      double gigabits = ITERATIONS * BYTES * 8.0 / (System.nanoTime() - start); // 6. bandwidth
      boolean confirmed = server.getInputStream().read() == 1; // 7. recv_result
      out.printf("%d messages of %d bytes, confirmed: %s%n", ITERATIONS, BYTES, confirmed);
      if (gigabits <= 0) {
        throw new IllegalStateException("no bandwidth");
      }
    }
  }

  /** The data that one side receives from the other. */
  private record Peer(int qpNum, Gid gid) {
    QpAttr attributes() {
      return QpBringUp.attributes(AhAttr.roce(gid, 0), qpNum).timeout(18); // 1 s, on a busy machine
    }
  }

  /** The struct resources of the manual. */
  private static final class Resources implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final Context context;
    private final CompletionQueue cq;
    private final MemoryRegion region;
    private final QueuePair qp;
    private final WorkCompletions completions = new WorkCompletions(arena, 1);

    Resources(RdmaDevice device) {
      context = device.open();
      ProtectionDomain pd = context.allocPd();
      cq = context.createCq(16);
      region = pd.registerMemory(arena.allocate(BYTES, 4096), AccessFlags.LOCAL_WRITE);
      qp =
          pd.createQp(
              new QpInitAttr()
                  .qpType(QpType.RC)
                  .cq(cq)
                  .cap(new QpCapabilities(1, ITERATIONS, 1, 1)));
    }

    Peer exchange(Socket socket) throws IOException {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(qp.qpNum());
      out.writeUTF(context.queryGid(1, 0).toHex());
      out.flush();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      return new Peer(in.readInt(), Gid.ofHex(in.readUTF()));
    }

    void postReceive() {
      try (RecvRequestList list = new RecvRequestList(1, 1)) {
        qp.postRecvOrThrow(list.add().sge(region, 0, BYTES)); // ibv_post_recv
      }
    }

    void postSend() {
      try (SendRequestList list = new SendRequestList(1, 1, 0)) {
        list.add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
        qp.postSendOrThrow(list.sge(region, 0, BYTES)); // ibv_post_send
      }
    }

    void pollCompletion() {
      OwnPeer.await(cq, completions); // ibv_poll_cq
    }

    @Override
    public void close() {
      context.close();
      arena.close();
    }
  }
}
