package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** Draws the work requests of one end and posts them. */
final class Traffic {
  private static final WrOpcode[] OPCODES = {
    WrOpcode.SEND,
    WrOpcode.SEND_WITH_IMM,
    WrOpcode.RDMA_WRITE,
    WrOpcode.RDMA_WRITE_WITH_IMM,
    WrOpcode.RDMA_READ,
    WrOpcode.ATOMIC_CMP_AND_SWP,
    WrOpcode.ATOMIC_FETCH_AND_ADD
  };
  private static final Knob[] WEIGHTS = {
    Knob.SEND, Knob.SEND_IMM, Knob.WRITE, Knob.WRITE_IMM, Knob.READ, Knob.CAS, Knob.FAA
  };

  /** Of those above, what an unreliable connection can. */
  private static final int UNRELIABLE_KINDS = 4;

  private static final int SHRINKS = 12;

  private final Run run;
  private final SimulationOptions options;
  private final Endpoint end;
  private final Endpoint peer;
  private final SplittableRandom random;
  private final SendRequestList requests;
  private final int depth;
  private int left;
  private int sinceSignaled;
  private boolean scheduled;

  /**
   * @param operations how many requests to post
   */
  Traffic(Run run, Endpoint end, Endpoint peer, int operations, SplittableRandom random) {
    this.run = run;
    this.options = run.options();
    this.end = end;
    this.peer = peer;
    this.random = random;
    left = operations;
    depth = options.integer(Knob.SQ);
    int batch = options.integer(Knob.BATCH);
    requests =
        new SendRequestList(
            run.arena(), batch, options.integer(Knob.SGES), options.integer(Knob.INLINE));
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
    if (!end.alive()) {
      return;
    }
    requests.clear();
    int most = Math.min(1 + random.nextInt(options.integer(Knob.BATCH)), depth - end.sends.size());
    while (requests.size() < most && left > 0 && addNext()) {}
    if (requests.size() == 0 && most > 0 && left > 0) {
      askForCompletion();
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
      if (left > 0) {
        schedule(random.nextLong(options.get(Knob.THINK) + 1));
      }
    }
  }

  /** Memory is used up, and only a completion tells that the unsignaled requests are done. */
  private void askForCompletion() {
    if (!end.sends.anySignaled()) {
      end.sending(add(WrOpcode.RDMA_WRITE, true, Pattern.NOTHING, SendFlags.SIGNALED));
    }
  }

  private boolean addNext() {
    if (end.window != null && windowWork()) {
      return true;
    }
    if (peer.window != null
        && peer.window.state == WindowModel.State.BOUND
        && random.nextInt(8) == 0) {
      return addMessage(WrOpcode.SEND_WITH_INV);
    }
    WrOpcode opcode = draw();
    return switch (opcode) {
      case RDMA_READ -> addRead();
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> addWrite(opcode);
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> addAtomic(opcode);
      default -> addMessage(opcode);
    };
  }

  private WrOpcode draw() {
    int kinds = end.reliable() ? WEIGHTS.length : UNRELIABLE_KINDS;
    int sum = 0;
    for (int i = 0; i < kinds; i++) {
      sum += options.integer(WEIGHTS[i]);
    }
    int at = random.nextInt(Math.max(1, sum));
    for (int i = 0; i < kinds; i++) {
      at -= options.integer(WEIGHTS[i]);
      if (at < 0) {
        return OPCODES[i];
      }
    }
    return WrOpcode.SEND;
  }

  /** Binds this end's window, or takes its key away. */
  private boolean windowWork() {
    WindowModel window = end.window;
    if (window.state == WindowModel.State.FREE && random.nextInt(3) == 0) {
      PostedSend bind = add(WrOpcode.BIND_MW, true, Pattern.NOTHING, SendFlags.SIGNALED);
      bind.immediate = MemoryWindow.incrementRkey(window.window.rkey());
      requests.bindMw(
          window.window,
          bind.immediate,
          window.region,
          addressOf(end, window.range),
          window.range.length,
          AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC);
      window.state = WindowModel.State.BINDING;
      return true;
    }
    if (window.state == WindowModel.State.BOUND && window.users == 0 && random.nextInt(20) == 0) {
      add(WrOpcode.LOCAL_INV, true, Pattern.NOTHING, SendFlags.SIGNALED);
      requests.invalidateRkey(window.key);
      window.state = WindowModel.State.INVALIDATING;
      return true;
    }
    return false;
  }

  private boolean addMessage(WrOpcode opcode) {
    PostedSend read = random.nextInt(4) == 0 ? readToPassOn() : null;
    if (read != null) {
      // What a READ brings is sent on at once: only the fence makes that right.
      PostedSend send = planned(opcode, read.payload, SendFlags.FENCE);
      read.local.forEach(piece -> put(send, piece));
      send.owned.addAll(read.owned);
      read.owned.clear();
      finishMessage(send);
      return true;
    }
    MemorySegment payload = Pattern.slice(random, length());
    PostedSend send = source(opcode, payload);
    if (send == null) {
      return false;
    }
    finishMessage(send);
    return true;
  }

  private PostedSend readToPassOn() {
    PostedSend read = null;
    for (PostedSend each : end.sends.outstanding()) {
      if (each.opcode == WrOpcode.RDMA_READ && !each.owned.isEmpty()) {
        read = each;
      }
    }
    return read;
  }

  private void finishMessage(PostedSend send) {
    if (send.opcode == WrOpcode.SEND_WITH_INV) {
      send.immediate = peer.window.key;
      send.window = peer.window;
      peer.window.users++;
      peer.window.state = WindowModel.State.INVALIDATING;
      requests.invalidateRkey(send.immediate);
      // READs that use the key must have their data before it dies.
      requests.flags(requests.flagsAt(requests.size() - 1) | SendFlags.FENCE);
    } else if (send.opcode == WrOpcode.SEND_WITH_IMM) {
      send.immediate = random.nextInt();
      requests.immediate(send.immediate);
    }
    end.sending(send);
  }

  private boolean addWrite(WrOpcode opcode) {
    Target target = target(length(), 1);
    if (target == null) {
      return false;
    }
    PostedSend send = source(opcode, Pattern.slice(random, target.length));
    if (send == null) {
      target.giveBack();
      return false;
    }
    target.apply(send);
    if (send.remote != null) {
      send.remote.undetermined = true;
    }
    if (opcode == WrOpcode.RDMA_WRITE_WITH_IMM) {
      send.immediate = random.nextInt();
      requests.immediate(send.immediate);
    }
    end.sending(send);
    return true;
  }

  private boolean addRead() {
    Target target = target(length(), 1);
    if (target == null) {
      return false;
    }
    List<Extent> pieces = new ArrayList<>();
    if (!Pieces.take(pieces, end.localZone, target.length, options.integer(Knob.SGES), random)) {
      target.giveBack();
      return false;
    }
    PostedSend send = planned(WrOpcode.RDMA_READ, Pattern.slice(random, target.length), 0);
    for (Extent piece : pieces) {
      piece.undetermined = true;
      put(send, piece);
    }
    send.owned.addAll(pieces);
    target.apply(send);
    if (send.remote != null) {
      send.remote.memory.store(send.remote, send.payload);
    }
    return true;
  }

  private boolean addAtomic(WrOpcode opcode) {
    Extent result = end.localZone.take(8, 1, random);
    if (result == null) {
      return false;
    }
    List<AtomicCell> counters = peer.device.counters();
    boolean shared =
        opcode == WrOpcode.ATOMIC_FETCH_AND_ADD && !counters.isEmpty() && random.nextBoolean();
    List<AtomicCell> cells = shared ? counters : peer.cells;
    PostedSend send = planned(opcode, Pattern.slice(random, 8), 0);
    send.cell = cells.get(random.nextInt(cells.size()));
    put(send, result);
    result.undetermined = true;
    send.owned.add(result);
    long compare = random.nextInt(3) == 0 ? random.nextLong() : send.cell.value();
    long swap = random.nextLong();
    send.add = random.nextLong() | 1;
    send.cell.posted(send, compare, swap);
    boolean add = opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    requests.atomic(
        shared ? peer.device.counterAddress(send.cell) : addressOf(peer, send.cell.extent),
        shared ? peer.device.counterKey() : peer.remoteRegion.rkey(),
        add ? send.add : compare,
        add ? 0 : swap);
    return true;
  }

  /** A request that sends bytes of this end, from its memory or inline; null: no room. */
  private PostedSend source(WrOpcode opcode, MemorySegment payload) {
    if (payload.byteSize() <= options.get(Knob.INLINE)
        && payload.byteSize() > 0
        && random.nextBoolean()) {
      PostedSend send = planned(opcode, payload, 0);
      requests.inline(payload);
      return send;
    }
    List<Extent> pieces = new ArrayList<>();
    if (!Pieces.take(
        pieces, end.localZone, (int) payload.byteSize(), options.integer(Knob.SGES), random)) {
      return null;
    }
    PostedSend send = planned(opcode, payload, 0);
    Pieces.forEach(pieces, payload, (piece, bytes) -> piece.memory.store(piece, bytes));
    pieces.forEach(piece -> put(send, piece));
    send.owned.addAll(pieces);
    return send;
  }

  private void put(PostedSend send, Extent piece) {
    send.local.add(piece);
    requests.sge(end.localRegion, piece.at - end.localZone.start(), piece.length);
  }

  /** A request of the plan, with flags as they come. */
  private PostedSend planned(WrOpcode opcode, MemorySegment payload, int flags) {
    left--;
    int all = flags;
    if (random.nextInt(100) < options.get(Knob.FENCE)) {
      all |= SendFlags.FENCE;
    }
    if (random.nextInt(100) < options.get(Knob.SOLICIT)) {
      all |= SendFlags.SOLICITED;
    }
    boolean must = left == 0 || sinceSignaled >= (depth - 1) / 2;
    boolean flag = must || random.nextInt(100) < options.get(Knob.SIGNAL);
    boolean signaled = flag || options.integer(Knob.SIGNAL) == 100;
    return add(opcode, signaled, payload, flag ? all | SendFlags.SIGNALED : all);
  }

  private PostedSend add(WrOpcode opcode, boolean signaled, MemorySegment payload, int flags) {
    PostedSend send = new PostedSend(run.wrId(false), opcode, signaled, payload);
    requests.add().wrId(send.wrId).opcode(opcode).flags(flags);
    sinceSignaled = signaled ? 0 : sinceSignaled + 1;
    end.sends.posted(send);
    return send;
  }

  // ---- sizes and places

  /** The edges more often than the rest. */
  private int length() {
    int mtu = options.integer(Knob.MTU);
    int packets = options.integer(Knob.PACKETS);
    int longest = mtu * packets;
    int length =
        switch (random.nextInt(10)) {
          case 0 -> 0;
          case 1 -> 1;
          case 2 -> mtu - 1 + random.nextInt(3);
          case 3, 4 -> random.nextInt(256);
          case 5 -> mtu * (1 + random.nextInt(packets)) - 1 + random.nextInt(3);
          case 6 -> longest - random.nextInt(3);
          default -> random.nextInt(longest + 1);
        };
    return Math.min(length, longest);
  }

  private static long addressOf(Endpoint owner, Extent extent) {
    return owner.remoteRegion.iova() + extent.at - owner.remoteZone.start();
  }

  /** Memory of the peer that a READ or WRITE names. */
  private final class Target {
    final int length;
    final Extent extent;
    final WindowModel window;

    Target(int length, Extent extent, WindowModel window) {
      this.length = length;
      this.extent = extent;
      this.window = window;
    }

    void apply(PostedSend send) {
      send.remote = extent;
      if (window != null) {
        send.window = window;
        window.users++;
      }
      if (extent == null) {
        requests.remote(random.nextLong(), random.nextInt()); // length 0: any address, any key
      } else {
        requests.remote(
            addressOf(peer, extent), window == null ? peer.remoteRegion.rkey() : window.key);
      }
    }

    void giveBack() {
      if (extent != null) {
        extent.zone.give(extent);
      }
    }
  }

  /** Takes memory of the peer, less of it if there is not enough; null: none. */
  private Target target(int wanted, int alignment) {
    if (wanted == 0) {
      return new Target(0, null, null);
    }
    WindowModel window = peer.window;
    if (window != null && window.state == WindowModel.State.BOUND && random.nextBoolean()) {
      int length = 1 + random.nextInt(Math.min(wanted, window.range.length));
      Extent extent = window.zone.take(length, alignment, random);
      if (extent != null) {
        return new Target(length, extent, window);
      }
    }
    int length = wanted;
    for (int i = 0; i < SHRINKS && length > 0; i++) {
      Extent extent = peer.remoteZone.take(length, alignment, random);
      if (extent != null) {
        return new Target(length, extent, null);
      }
      length /= 2;
    }
    // What an unreliable write was meant for stays taken: its packets may come late.
    return end.reliable() ? null : new Target(0, null, null);
  }
}
