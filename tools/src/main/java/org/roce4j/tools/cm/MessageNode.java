package org.roce4j.tools.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.UdParam;
import org.roce4j.verbs.text.Wording;

/**
 * The queue pair of an id and the memory of one message, which all its requests share, as in the C
 * programs. Used by one thread.
 */
final class MessageNode implements AutoCloseable {
  /** Bytes in front of a datagram. */
  private static final int GRH = 40;

  private static final int BATCH = 8;
  private static final int PATIENCE_S = 20;

  private final CmId id;
  private final int count;
  private final int size;
  private final boolean datagrams;
  private final Arena arena = Arena.ofShared();
  private final ConnectionWait wait;
  private final CompletionChannel channel;
  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final MemorySegment memory;
  private final MemoryRegion mr;
  private final WorkCompletions completions = new WorkCompletions(arena, BATCH);
  private final SendRequestList send = new SendRequestList(arena, 1, 1, 0);
  private final ConnectionWait.Question question;
  private AddressHandle peer;
  private int peerQpn;
  private int peerQkey;

  /**
   * A node of an id that is on a device.
   *
   * @param createFlags of {@link org.roce4j.verbs.QpCreateFlags}
   */
  MessageNode(CmId id, int count, int size, int createFlags, ConnectionWait wait) {
    this.id = id;
    this.wait = wait;
    this.count = count;
    this.size = size;
    datagrams = id.qpType() == QpType.UD;
    if (datagrams && count > 0) {
      checkSize();
    }
    int entries = Math.max(1, count);
    channel = id.verbs().createCompletionChannel();
    sends = id.verbs().createCq(entries, null, channel, 0);
    receives = id.verbs().createCq(entries, null, channel, 0);
    id.createQp(
        null,
        new QpInitAttr()
            .sendCq(sends)
            .recvCq(receives)
            .cap(new QpCapabilities(entries, entries, 1, 1))
            .qpType(id.qpType())
            .createFlags(createFlags)
            .sqSigAll(true));
    question = new ConnectionWait.Question(datagrams ? null : id.qp());
    memory = arena.allocate(size + GRH, Long.BYTES);
    mr = id.pd().registerMemory(memory, AccessFlags.LOCAL_WRITE);
  }

  private void checkSize() {
    int mtu = id.verbs().queryPort(id.portNum()).activeMtu().bytes();
    if (size > mtu) {
      throw ToolFailure.usage("-S %d is larger than the active MTU, %d", size, mtu);
    }
  }

  CmId id() {
    return id;
  }

  void postReceives() {
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      int length = size + (datagrams ? GRH : 0);
      list.clear().add().sge(mr, 0, length);
      for (int i = 0; i < count; i++) {
        id.qp().postRecvOrThrow(list);
      }
    }
  }

  /** Sets the destination of datagrams; they carry the queue pair's number as immediate data. */
  void reach(UdParam where) {
    peer = id.pd().createAh(where.ahAttr());
    peerQpn = where.qpNum();
    peerQkey = where.qkey();
  }

  /** Asks the peer of a connection whether it is there; fails if an earlier question says no. */
  void ask(Supplier<String> what) {
    question.check(what);
    question.ask();
  }

  /** Waits for the answer if the peer was asked. */
  void awaitAnswer(Supplier<String> what) {
    question.finish(what);
  }

  void postSends() {
    send.clear().add().sge(mr, 0, size).flags(SendFlags.SIGNALED);
    if (datagrams) {
      send.opcode(WrOpcode.SEND_WITH_IMM).immediate(id.qp().qpNum()).ud(peer, peerQpn, peerQkey);
    } else {
      send.opcode(WrOpcode.SEND);
    }
    for (int i = 0; i < count; i++) {
      id.qp().postSendOrThrow(send);
    }
  }

  void awaitSends() {
    for (int done = 0; done < count; ) {
      Supplier<String> what = progress(done, "sends");
      done += demandSuccess(wait.awaitSends(sends, completions, what), what, completion -> {});
    }
  }

  /** Waits for every message of a group, for the first one without limit: nobody has to send it. */
  void awaitGroup() {
    awaitReceives(Integer.MAX_VALUE, completion -> {});
  }

  /** Waits for every message; a datagram names the destination of answers. */
  void awaitRequests() {
    awaitReceives(PATIENCE_S, this::learnPeer);
  }

  private void awaitReceives(int firstPatienceS, IntConsumer each) {
    for (int done = 0; done < count; ) {
      Supplier<String> what = progress(done, "receives");
      int patienceS = done == 0 ? firstPatienceS : PATIENCE_S;
      int got = wait.awaitReceives(receives, id.qp(), patienceS, completions, what);
      done += demandSuccess(got, what, each);
    }
  }

  private Supplier<String> progress(int done, String what) {
    return () -> Wording.of("%d of %d %s of %s completed", done, count, what, id);
  }

  private int demandSuccess(int got, Supplier<String> what, IntConsumer each) {
    for (int i = 0; i < got; i++) {
      if (completions.status(i) != WcStatus.SUCCESS) {
        throw ToolFailure.atRunTime(
            wait.over() == null
                ? completions.toString(i) + " of " + id
                : wait.over() + ": " + what.get());
      }
      each.accept(i);
    }
    return got;
  }

  private void learnPeer(int completion) {
    boolean received = (completions.flags(completion) & WcFlags.GRH) != 0;
    if (datagrams && peer == null && received) {
      peer = id.pd().createAhFromWc(completions, completion, memory, 0, id.portNum());
      peerQpn = completions.immediate(completion);
      peerQkey = UdParam.QKEY;
    }
  }

  @Override
  public void close() {
    if (peer != null) {
      peer.close();
    }
    question.close();
    id.destroyQp();
    sends.close();
    receives.close();
    channel.close();
    mr.close();
    arena.close();
  }
}
