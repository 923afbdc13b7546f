package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/** Draws the requests of one end of a connection. */
final class ConnectedWorkload extends Workload {
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

  /** The number of kinds, from the first on, that an unreliable connection supports. */
  private static final int UNRELIABLE_KINDS = 4;

  private static final int SHRINKS = 12;

  private final ConnectedEnd end;
  private final ConnectedEnd peer;
  private final boolean reliable;

  ConnectedWorkload(
      World world, ConnectedEnd end, ConnectedEnd peer, int operations, SplittableRandom random) {
    super(world, end, operations, random);
    this.end = end;
    this.peer = peer;
    reliable = end.qp.qpType() == QpType.RC;
  }

  @Override
  void addEmpty() {
    peer.expect(add(WrOpcode.RDMA_WRITE, RandomPayload.NOTHING, SendFlags.SIGNALED));
  }

  @Override
  boolean addNext() {
    if (end.remote().window() != null && windowWork()) {
      return true;
    }
    if (peer.remote().window() != null
        && peer.remote().window().state == WindowModel.State.BOUND
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

  /** Posts a FLUSH of all memory of the peer. */
  @Override
  void postBeside() {
    if (!reliable || !options.on(Knob.FLUSH) || !chance(Knob.FLUSH)) {
      return;
    }
    PostedSend flush = beside(WrOpcode.FLUSH);
    int fence = chance(Knob.FENCE) ? SendFlags.FENCE : 0;
    WorkRequestBuilder builder = end.qp.builder();
    builder.start();
    builder
        .wrId(flush.wrId)
        .flags(SendFlags.SIGNALED | fence)
        .flush(peer.remote().rkey(), 0, 0, 1, 1);
    int errno = builder.complete();
    require(errno == 0, OracleRule.RIGHT_STATUS, "posting %s returned errno %d", flush, errno);
  }

  private WrOpcode draw() {
    int kinds = reliable ? WEIGHTS.length : UNRELIABLE_KINDS;
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

  /** Binds this end's window, or invalidates its key. */
  private boolean windowWork() {
    WindowModel window = end.remote().window();
    if (window.state == WindowModel.State.FREE && random.nextInt(3) == 0) {
      PostedSend bind = add(WrOpcode.BIND_MW, RandomPayload.NOTHING, SendFlags.SIGNALED);
      bind.immediate = MemoryWindow.incrementRkey(window.window.rkey());
      requests.bindMw(
          window.window,
          bind.immediate,
          window.region,
          end.remote().addressOf(window.range),
          window.range.length,
          RemoteMemory.RIGHTS);
      window.state = WindowModel.State.BINDING;
      return true;
    }
    if (window.state == WindowModel.State.BOUND && window.users == 0 && random.nextInt(20) == 0) {
      add(WrOpcode.LOCAL_INV, RandomPayload.NOTHING, SendFlags.SIGNALED);
      requests.invalidateRkey(window.key);
      window.state = WindowModel.State.INVALIDATING;
      return true;
    }
    return false;
  }

  private boolean addMessage(WrOpcode opcode) {
    PostedSend read = random.nextInt(4) == 0 ? readToPassOn() : null;
    if (read != null) {
      // Sends the data that an outstanding READ will return; only the fence makes this correct.
      PostedSend send = planned(opcode, read.payload, SendFlags.FENCE);
      read.local.forEach(piece -> put(send, piece));
      send.owned.addAll(read.owned);
      read.owned.clear();
      finishMessage(send);
      return true;
    }
    MemorySegment payload = RandomPayload.slice(random, length());
    PostedSend send = source(opcode, payload, true);
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
      send.immediate = peer.remote().window().key;
      send.window = peer.remote().window();
      peer.remote().window().users++;
      peer.remote().window().state = WindowModel.State.INVALIDATING;
      requests.invalidateRkey(send.immediate);
      // READs that use the key must have their data before the key is invalidated.
      requests.flags(requests.flagsAt(requests.size() - 1) | SendFlags.FENCE);
    } else if (send.opcode == WrOpcode.SEND_WITH_IMM) {
      send.immediate = random.nextInt();
      requests.immediate(send.immediate);
    }
    peer.expect(send);
  }

  private boolean addWrite(WrOpcode opcode) {
    Target target = target(length(), 1);
    if (target == null) {
      return false;
    }
    PostedSend send = source(opcode, RandomPayload.slice(random, target.length), true);
    if (send == null) {
      target.giveBack();
      return false;
    }
    aim(send, target);
    if (send.remote != null) {
      send.remote.undetermined = true;
    }
    if (opcode == WrOpcode.RDMA_WRITE_WITH_IMM) {
      send.immediate = random.nextInt();
      requests.immediate(send.immediate);
    }
    peer.expect(send);
    return true;
  }

  private boolean addRead() {
    Target target = target(length(), 1);
    if (target == null) {
      return false;
    }
    List<Extent> pieces = localPieces(target.length);
    if (pieces == null) {
      target.giveBack();
      return false;
    }
    PostedSend send = planned(WrOpcode.RDMA_READ, RandomPayload.slice(random, target.length), 0);
    for (Extent piece : pieces) {
      piece.undetermined = true;
      put(send, piece);
    }
    send.owned.addAll(pieces);
    aim(send, target);
    if (send.remote != null) {
      send.remote.memory.store(send.remote, send.payload);
    }
    return true;
  }

  private boolean addAtomic(WrOpcode opcode) {
    Extent result = end.memory.local().take(8, 1, random);
    if (result == null) {
      return false;
    }
    SharedCounters counters = peer.device.counters();
    boolean shared =
        opcode == WrOpcode.ATOMIC_FETCH_AND_ADD
            && !counters.cells().isEmpty()
            && random.nextBoolean();
    List<AtomicCell> cells = shared ? counters.cells() : peer.remote().cells();
    PostedSend send = planned(opcode, RandomPayload.slice(random, 8), 0);
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
        shared ? counters.addressOf(send.cell) : peer.remote().addressOf(send.cell.extent),
        shared ? counters.rkey() : peer.remote().rkey(),
        add ? send.add : compare,
        add ? 0 : swap);
    return true;
  }

  @Override
  PostedSend planned(WrOpcode opcode, MemorySegment payload, int flags) {
    int fence = chance(Knob.FENCE) ? SendFlags.FENCE : 0;
    int solicited = chance(Knob.SOLICIT) ? SendFlags.SOLICITED : 0;
    return super.planned(opcode, payload, flags | fence | solicited);
  }

  // ---- sizes and places

  /** A random length, with the edge cases more frequent. */
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

  /** Memory of the peer for a READ or WRITE, with the window that reaches it, or null. */
  private record Target(int length, Extent extent, WindowModel window) {
    void giveBack() {
      if (extent != null) {
        extent.zone.give(extent);
      }
    }
  }

  private void aim(PostedSend send, Target target) {
    send.remote = target.extent;
    send.window = target.window;
    RemoteMemory remote = peer.remote();
    if (target.extent == null) {
      requests.remote(random.nextLong(), random.nextInt()); // length 0: any address, any key
    } else if (target.window == null) {
      requests.remote(remote.addressOf(target.extent), remote.rkey());
    } else {
      target.window.users++;
      requests.remote(remote.addressOf(target.extent), target.window.key);
    }
  }

  /** Takes memory of the peer, less than {@code wanted} if necessary; null if there is none. */
  private Target target(int wanted, int alignment) {
    if (wanted == 0) {
      return new Target(0, null, null);
    }
    WindowModel window = peer.remote().window();
    if (window != null && window.state == WindowModel.State.BOUND && random.nextBoolean()) {
      int length = 1 + random.nextInt(Math.min(wanted, window.range.length));
      Extent extent = window.zone.take(length, alignment, random);
      if (extent != null) {
        return new Target(length, extent, window);
      }
    }
    int length = wanted;
    for (int i = 0; i < SHRINKS && length > 0; i++) {
      Extent extent = peer.remote().zone().take(length, alignment, random);
      if (extent != null) {
        return new Target(length, extent, null);
      }
      length /= 2;
    }
    // The target of an unreliable WRITE stays taken, because its packets may arrive late.
    return reliable ? null : new Target(0, null, null);
  }
}
