package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** Draws the datagrams of one queue pair, to others and to groups, and posts them. */
final class DatagramTraffic {
  private static final int RETRY_NS = 20_000;
  private static final int ECN_BITS = 3;

  private final Run run;
  private final SimulationOptions options;
  private final DatagramEnd end;
  private final SplittableRandom random;
  private final SendRequestList requests;
  private final Map<Gid, AddressHandle> handles = new HashMap<>();
  private final int depth;
  private int left;
  private int sinceSignaled;
  private boolean scheduled;

  DatagramTraffic(Run run, DatagramEnd end, int operations, SplittableRandom random) {
    this.run = run;
    this.options = run.options();
    this.end = end;
    this.random = random;
    left = operations;
    depth = options.integer(Knob.SQ);
    requests =
        new SendRequestList(
            run.arena(),
            options.integer(Knob.BATCH),
            options.integer(Knob.SGES),
            options.integer(Knob.INLINE));
  }

  void start() {
    schedule(random.nextLong(options.get(Knob.THINK) + 1));
  }

  boolean done() {
    return left == 0;
  }

  int left() {
    return left;
  }

  /** A completion made room in the queue and in memory. */
  void roomMade() {
    if (left > 0) {
      schedule(0);
    }
  }

  private void schedule(long delayNs) {
    if (!scheduled) {
      scheduled = true;
      run.agenda().at(run.nowNs() + delayNs, this::post);
    }
  }

  private void post() {
    scheduled = false;
    if (!end.alive() || left == 0) {
      return;
    }
    requests.clear();
    int most = Math.min(1 + random.nextInt(options.integer(Knob.BATCH)), depth - end.sends.size());
    while (requests.size() < most && left > 0 && addNext()) {}
    if (requests.size() == 0 && most > 0 && !end.sends.anySignaled()) {
      // Memory is used up, and only a completion tells that the unsignaled requests are done.
      PostedSend empty = add(WrOpcode.SEND, Pattern.NOTHING, true);
      address(empty);
      end.posted(empty);
    }
    if (requests.size() > 0) {
      int errno = end.qp().postSend(requests);
      require(
          errno == 0,
          Rule.RIGHT_STATUS,
          "%s: posting %s returned errno %d",
          end.name,
          end.sends.newest(),
          errno);
    }
    if (left > 0 && (requests.size() > 0 || end.sends.isEmpty())) {
      schedule(requests.size() > 0 ? random.nextLong(options.get(Knob.THINK) + 1) : RETRY_NS);
    }
  }

  private boolean addNext() {
    boolean immediate = random.nextBoolean();
    int mtu = options.integer(Knob.MTU);
    boolean oversized = random.nextInt(100) < options.get(Knob.OVERSIZED);
    MemorySegment payload =
        Pattern.slice(random, oversized ? mtu + 1 + random.nextInt(mtu) : length(mtu));
    PostedSend send =
        source(immediate ? WrOpcode.SEND_WITH_IMM : WrOpcode.SEND, payload, !oversized);
    if (send == null) {
      return false;
    }
    if (immediate) {
      send.immediate = random.nextInt();
      requests.immediate(send.immediate);
    }
    address(send);
    end.posted(send);
    return true;
  }

  private void address(PostedSend send) {
    List<Gid> groups = run.groups();
    boolean rightKey = random.nextInt(100) >= options.get(Knob.WRONG_KEYS);
    int key = rightKey ? DatagramEnd.QKEY : DatagramEnd.WRONG_QKEY;
    boolean toGroup = !groups.isEmpty() && random.nextInt(3) == 0;
    DatagramEnd one = run.anyDatagramEnd(random);
    Gid to = toGroup ? groups.get(random.nextInt(groups.size())) : one.device.gid();
    AddressHandle handle = handles.computeIfAbsent(to, this::handle);
    send.datagram = new Datagram(end, to, handle.attr().grh().trafficClass(), rightKey);
    requests.ud(handle, toGroup ? QueuePair.MULTICAST_QPN : one.qp().qpNum(), key);
  }

  private AddressHandle handle(Gid to) {
    return end.device.pd().createAh(AhAttr.roce(to, 0, 64, random.nextInt(256) & ~ECN_BITS));
  }

  private int length(int mtu) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextInt(2);
      case 1 -> mtu - random.nextInt(3);
      case 2 -> random.nextInt(Math.min(mtu, 64));
      default -> random.nextInt(mtu + 1);
    };
  }

  /** A request that sends bytes of this end, from its memory or inline; null: no room. */
  private PostedSend source(WrOpcode opcode, MemorySegment payload, boolean mayInline) {
    if (mayInline
        && payload.byteSize() <= options.get(Knob.INLINE)
        && payload.byteSize() > 0
        && random.nextBoolean()) {
      PostedSend send = planned(opcode, payload);
      requests.inline(payload);
      return send;
    }
    List<Extent> pieces = new ArrayList<>();
    if (!Pieces.take(
        pieces, end.localZone, (int) payload.byteSize(), options.integer(Knob.SGES), random)) {
      return null;
    }
    PostedSend send = planned(opcode, payload);
    Pieces.forEach(pieces, payload, (piece, bytes) -> piece.memory.store(piece, bytes));
    for (Extent piece : pieces) {
      requests.sge(end.localRegion, piece.at - end.localZone.start(), piece.length);
    }
    send.owned.addAll(pieces);
    return send;
  }

  private PostedSend planned(WrOpcode opcode, MemorySegment payload) {
    left--;
    boolean must = left == 0 || sinceSignaled >= (depth - 1) / 2;
    return add(opcode, payload, must || random.nextInt(100) < options.get(Knob.SIGNAL));
  }

  private PostedSend add(WrOpcode opcode, MemorySegment payload, boolean flag) {
    boolean signaled = flag || options.integer(Knob.SIGNAL) == 100;
    PostedSend send = new PostedSend(run.wrId(false), opcode, signaled, payload);
    int solicited = random.nextInt(100) < options.get(Knob.SOLICIT) ? SendFlags.SOLICITED : 0;
    requests
        .add()
        .wrId(send.wrId)
        .opcode(opcode)
        .flags(flag ? solicited | SendFlags.SIGNALED : solicited);
    sinceSignaled = signaled ? 0 : sinceSignaled + 1;
    return send;
  }
}
