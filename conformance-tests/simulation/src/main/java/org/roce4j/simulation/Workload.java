package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** Draws the send requests of one end and posts them in batches with pauses. */
abstract class Workload {
  private static final int ALL = 100;

  private final World world;
  private final QueuePairUser end;
  final SimulationOptions options;
  final SplittableRandom random;

  /** The list for the next posting. */
  final SendRequestList requests;

  private final int depth;
  private int left;
  private int sinceSignaled;
  private boolean scheduled;

  /**
   * @param operations number of requests to post
   */
  Workload(World world, QueuePairUser end, int operations, SplittableRandom random) {
    this.world = world;
    this.end = end;
    this.random = random;
    left = operations;
    options = world.options;
    depth = options.integer(Knob.SQ);
    requests =
        new SendRequestList(
            world.arena,
            options.integer(Knob.BATCH),
            options.integer(Knob.SGES),
            options.integer(Knob.INLINE));
  }

  final void start() {
    schedule(random.nextLong(options.get(Knob.THINK) + 1));
  }

  final boolean done() {
    return left == 0;
  }

  final int left() {
    return left;
  }

  /** A completion made room in the queue and in memory. */
  final void roomMade() {
    if (left > 0) {
      schedule(0);
    }
  }

  private void schedule(long delayNs) {
    if (!scheduled) {
      scheduled = true;
      world.agenda.after(delayNs, this::post);
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
      // Memory is used up, and only a completion shows that the unsignaled requests are done.
      addEmpty();
    }
    if (requests.size() > 0) {
      int errno = end.qp.postSend(requests);
      require(
          errno == 0,
          OracleRule.RIGHT_STATUS,
          "%s: posting %s returned errno %d",
          end.name,
          end.sends.newest(),
          errno);
      if (left > 0 && end.sends.size() < depth) {
        postBeside();
      }
      if (left > 0) {
        schedule(random.nextLong(options.get(Knob.THINK) + 1));
      }
    }
  }

  /** Posts a request that a list cannot hold. The send queue has room for it. */
  void postBeside() {}

  /** Records a signaled request that is posted outside the list. */
  final PostedSend beside(WrOpcode opcode) {
    left--;
    PostedSend send = new PostedSend(world.wrId(false), opcode, true, RandomPayload.NOTHING);
    sinceSignaled = 0;
    end.sends.posted(send);
    return send;
  }

  /** Adds a request; false if memory is used up. */
  abstract boolean addNext();

  /** Adds a signaled request without bytes, beyond the planned requests. */
  abstract void addEmpty();

  /**
   * Adds a request that sends bytes of this end, from its memory or inline; null if there is no
   * room.
   */
  final PostedSend source(WrOpcode opcode, MemorySegment payload, boolean mayInline) {
    if (mayInline
        && payload.byteSize() <= options.get(Knob.INLINE)
        && payload.byteSize() > 0
        && random.nextBoolean()) {
      PostedSend send = planned(opcode, payload, 0);
      requests.inline(payload);
      return send;
    }
    List<Extent> pieces = localPieces((int) payload.byteSize());
    if (pieces == null) {
      return null;
    }
    PostedSend send = planned(opcode, payload, 0);
    Pieces.forEach(pieces, payload, (piece, bytes) -> piece.memory.store(piece, bytes));
    pieces.forEach(piece -> put(send, piece));
    send.owned.addAll(pieces);
    return send;
  }

  /** Takes local memory; null if there is no room. */
  final List<Extent> localPieces(int bytes) {
    List<Extent> pieces = new ArrayList<>();
    Zone local = end.memory.local();
    return Pieces.take(pieces, local, bytes, options.integer(Knob.SGES), random) ? pieces : null;
  }

  final void put(PostedSend send, Extent piece) {
    send.local.add(piece);
    EndMemory memory = end.memory;
    requests.sge(memory.localRegion(), piece.at - memory.local().start(), piece.length);
  }

  /** Adds one of the planned requests, signaled at random or because the queue needs it. */
  PostedSend planned(WrOpcode opcode, MemorySegment payload, int flags) {
    left--;
    boolean must = left == 0 || sinceSignaled >= (depth - 1) / 2;
    boolean flag = must || chance(Knob.SIGNAL);
    return add(opcode, payload, flag ? flags | SendFlags.SIGNALED : flags);
  }

  PostedSend add(WrOpcode opcode, MemorySegment payload, int flags) {
    boolean signaled = (flags & SendFlags.SIGNALED) != 0 || options.integer(Knob.SIGNAL) == ALL;
    PostedSend send = new PostedSend(world.wrId(false), opcode, signaled, payload);
    requests.add().wrId(send.wrId).opcode(opcode).flags(flags);
    sinceSignaled = signaled ? 0 : sinceSignaled + 1;
    end.sends.posted(send);
    return send;
  }

  /** True with the probability that a knob gives in per cent. */
  final boolean chance(Knob perCent) {
    return random.nextInt(ALL) < options.get(perCent);
  }
}
