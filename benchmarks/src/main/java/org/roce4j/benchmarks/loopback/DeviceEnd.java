package org.roce4j.benchmarks.loopback;

import java.lang.foreign.Arena;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** One end of a reliable connection between two devices. */
final class DeviceEnd implements End {
  private static final int REGION = 1 << 20;
  private static final int IN_FLIGHT_BYTES = 4 << 20;
  private static final int RECEIVES = 64;
  private static final int SENDS = 128;
  private static final int SIGNAL_EVERY = 32;
  private static final long WAIT_NS = 20_000_000;

  /** 0.54 s: on a machine that is busy with other things an end may have to wait for its turn. */
  private static final int ACK_TIMEOUT = 17;

  private final Workload workload;
  private final SharedPage shared;
  private final Gid peer;
  private final Arena arena = Arena.ofShared();
  private final Context context;
  private final MemoryRegion memory;
  private final CompletionChannel channel;
  private final CompletionQueue cq;
  private final QueuePair qp;
  private final WorkCompletions completions = new WorkCompletions(arena, 32);
  private final RecvRequestList receive = new RecvRequestList(arena, 1, 1);
  private final Samples samples = new Samples();
  private SendRequestList[] writes;
  private SendRequestList quietPing;
  private SendRequestList signaledPing;
  private long pings;
  private int received;

  DeviceEnd(
      Workload workload, SharedPage shared, String transport, Gid own, Gid peer, int udpPort) {
    this.workload = workload;
    this.shared = shared;
    this.peer = peer;
    context =
        Emulator.device(DeviceOptions.of("end", own).withTransport(transport).withUdpPort(udpPort))
            .open();
    var pd = context.allocPd();
    memory =
        pd.registerMemory(
            arena.allocate(REGION, 4096), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    channel = workload.events() ? context.createCompletionChannel() : null;
    cq = context.createCq(SENDS + RECEIVES, null, channel, 0);
    qp =
        pd.createQp(
            new QpInitAttr()
                .cq(cq)
                .qpType(QpType.RC)
                .cap(new QpCapabilities(SENDS, RECEIVES, 1, 1, 64)));
  }

  @Override
  public String address() {
    return qp.qpNum() + " " + memory.rkey() + " " + memory.iova();
  }

  @Override
  public void connect(String line) {
    String[] words = line.split(" ", -1);
    qp.modify(
        new QpAttr()
            .qpState(QpState.INIT)
            .pkeyIndex(0)
            .portNum(1)
            .qpAccessFlags(AccessFlags.REMOTE_WRITE));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(Mtu.MTU_4096)
            .destQpNum(Integer.parseInt(words[0]))
            .rqPsn(0)
            .maxDestRdAtomic(1)
            .minRnrTimer(12)
            .ahAttr(AhAttr.roce(peer, 0)));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTS)
            .timeout(ACK_TIMEOUT)
            .retryCnt(7)
            .rnrRetry(7)
            .sqPsn(0)
            .maxRdAtomic(1));
    int rkey = Integer.parseInt(words[1]);
    long address = Long.parseLong(words[2]);
    writes = new SendRequestList[workload.latency() ? 0 : REGION / workload.bytes()];
    for (int i = 0; i < writes.length; i++) {
      long offset = (long) i * workload.bytes();
      writes[i] = request(WrOpcode.RDMA_WRITE, SendFlags.SIGNALED);
      writes[i].remote(address + offset, rkey).sge(memory, offset, workload.bytes());
    }
    quietPing = request(WrOpcode.SEND, 0).inline(memory.memory().asSlice(0, 64));
    signaledPing =
        request(WrOpcode.SEND, SendFlags.SIGNALED).inline(memory.memory().asSlice(0, 64));
    receive.clear().add().sge(memory, 4096, 64);
    for (int i = 0; i < RECEIVES; i++) {
      posted(qp.postRecv(receive));
    }
    if (channel != null) {
      cq.requestNotification(false);
    }
  }

  private SendRequestList request(WrOpcode opcode, int flags) {
    return new SendRequestList(arena, 1, 1, 64).add().opcode(opcode).flags(flags);
  }

  @Override
  public Measurement active(long durationNs) {
    samples.begin();
    Measurement result = workload.latency() ? ping(durationNs) : stream(durationNs);
    shared.finishRun();
    return result;
  }

  private Measurement stream(long durationNs) {
    int depth = Math.clamp(IN_FLIGHT_BYTES / workload.bytes(), 2, SENDS);
    long posted = 0;
    long done = 0;
    long start = System.nanoTime();
    long now = start;
    while (now - start < durationNs) {
      while (posted - done < depth) {
        posted(qp.postSend(writes[(int) (posted++ % writes.length)]));
      }
      done += poll();
      now = System.nanoTime();
    }
    Measurement result =
        samples.throughput(done * workload.bytes(), now - start, done * workload.packets());
    while (done < posted) {
      done += poll();
    }
    return result;
  }

  private Measurement ping(long durationNs) {
    long start = System.nanoTime();
    long last = start;
    long packets = 0;
    while (last - start < durationNs) {
      send();
      packets++;
      awaitMessage(Long.MAX_VALUE);
      long now = System.nanoTime();
      samples.add(now - last);
      last = now;
    }
    return samples.halfRoundTrip(packets);
  }

  @Override
  public void passive() {
    long round = shared.finished();
    while (shared.finished() == round) {
      if (!workload.latency()) {
        poll();
      } else if (awaitMessage(round)) {
        send();
      }
    }
  }

  private void send() {
    boolean signal = ++pings % SIGNAL_EVERY == 0;
    posted(qp.postSend(signal ? signaledPing : quietPing));
  }

  /** Until a message is there, which is taken; false if the run with that number is over. */
  private boolean awaitMessage(long round) {
    while (received == 0) {
      if (poll() > 0) {
        continue;
      }
      if (channel != null) {
        sleep();
      }
      if (shared.finished() != round && round != Long.MAX_VALUE) {
        return false;
      }
    }
    received--;
    posted(qp.postRecv(receive));
    return true;
  }

  private void sleep() {
    CompletionQueue ready = channel.getCqEvent(WAIT_NS);
    if (ready != null) {
      ready.ackEvents(1);
      ready.requestNotification(false);
    }
  }

  private int poll() {
    int count = cq.poll(completions);
    for (int i = 0; i < count; i++) {
      if (completions.statusValue(i) != 0) {
        throw new IllegalStateException(completions.toString(i));
      }
      if (completions.opcodeValue(i) == WcOpcode.RECV.value()) {
        received++;
      }
    }
    return count;
  }

  private static void posted(int errno) {
    if (errno != 0) {
      throw new IllegalStateException("posting failed: errno " + errno);
    }
  }

  @Override
  public void close() {
    context.close();
    arena.close();
  }
}
