package org.roce4j.benchmarks;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Locale;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The part of a ping-pong that is on the path of its latency: from the poll that finds a message of
 * 64 bytes to the end of the post that answers it, over UDP. One thread plays both sides, so that
 * no hand-over between processors is measured. The twin without a device is {@code udptwin reply}.
 * With real-time priority ({@code chrt -r 20}) both repeat within 2 % on a busy machine.
 */
public final class ReplyCost {
  private static final int BYTES = 64;

  /** More polls than one after a post, so that the device knows a thread that polls. */
  private static final int IDLE_POLLS = 5;

  private static final int SAMPLES = 2000;
  private static final int REPLIES = 200;
  private static final int RECEIVES = 16;
  private static final int SIGNAL_EVERY = 16;

  private ReplyCost() {}

  /** One side. */
  private static final class End {
    final Context context;
    final CompletionQueue cq;
    final QueuePair qp;
    final RecvRequestList receive = new RecvRequestList(1, 1);
    final SendRequestList quiet = new SendRequestList(1, 1, 0);
    final SendRequestList signaled = new SendRequestList(1, 1, 0);
    final WorkCompletions done = new WorkCompletions(RECEIVES);
    long sent;

    End(String name, int address) {
      context = Emulator.device(DeviceOptions.of(name, Gid.ofIpv4(address))).open();
      cq = context.createCq(256);
      ProtectionDomain pd = context.allocPd();
      MemoryRegion memory =
          pd.registerMemory(Arena.ofAuto().allocate(2 * BYTES, BYTES), AccessFlags.LOCAL_WRITE);
      qp = pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(128, 128, 1, 1, 0)));
      receive.clear().add().sge(memory, BYTES, BYTES);
      quiet.clear().add().opcode(WrOpcode.SEND).flags(0).sge(memory, 0, BYTES);
      signaled.clear().add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED).sge(memory, 0, BYTES);
    }

    void connect(End peer) {
      LoneDevice.connect(qp, peer.context.queryGid(1, 0), peer.qp.qpNum());
      for (int i = 0; i < RECEIVES; i++) {
        ready();
      }
    }

    void ready() {
      require(qp.postRecv(receive) == 0);
    }

    void send() {
      require(qp.postSend(++sent % SIGNAL_EVERY == 0 ? signaled : quiet) == 0);
    }

    boolean polledMessage() {
      int count = cq.poll(done);
      boolean message = false;
      for (int i = 0; i < count; i++) {
        require(done.statusValue(i) == 0);
        message |= done.opcodeValue(i) == WcOpcode.RECV.value();
      }
      return message;
    }

    /** Nanoseconds from the poll that finds a message to the end of the answer's post. */
    long answer() {
      long begin = System.nanoTime();
      while (!polledMessage()) {
        // It is in the socket: one poll takes it, unless an acknowledgement is before it.
      }
      send();
      long end = System.nanoTime();
      ready();
      return end - begin;
    }
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new IllegalStateException("a request was refused, or failed");
    }
  }

  /**
   * @param args how often to measure (7); the first ones are the compiler's
   */
  public static void main(String[] args) {
    int times = args.length > 0 ? Integer.parseInt(args[0]) : 7;
    End client = new End("client", 0x7f00_0303);
    End server = new End("server", 0x7f00_0304);
    client.connect(server);
    server.connect(client);
    client.send();
    for (int i = 0; i < times; i++) {
      long[] means = new long[SAMPLES];
      for (int sample = 0; sample < SAMPLES; sample++) {
        means[sample] = meanReply(client, server);
      }
      Arrays.sort(means);
      System.out.printf(
          Locale.ROOT, "a reply: least %d ns, median %d ns%n", means[0], means[SAMPLES / 2]);
    }
    client.context.close();
    server.context.close();
  }

  private static long meanReply(End client, End server) {
    long sum = 0;
    for (int i = 0; i < REPLIES; i++) {
      End waits = i % 2 == 0 ? client : server;
      for (int poll = 0; poll < IDLE_POLLS; poll++) {
        require(!waits.polledMessage());
      }
      sum += (waits == client ? server : client).answer();
    }
    return sum / REPLIES;
  }
}
