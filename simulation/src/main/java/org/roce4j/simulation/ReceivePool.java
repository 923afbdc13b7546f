package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.RecvRequestList;

/** The receive requests of a queue pair: kept posted, some of them late. */
final class ReceivePool {
  private static final int RETRY_NS = 20_000;
  private static final int UNKNOWN = -1;

  private final Run run;
  private final Zone zone;
  private final MemoryRegion region;
  private final int target;
  private final int longest;
  private final int maxSges;
  private final SplittableRandom random;
  private final RecvRequestList requests;
  private final ToIntFunction<RecvRequestList> poster;
  private final IntUnaryOperator lengthOfNext;
  private final Deque<PostedReceive> posted = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param longest message that must fit
   * @param poster posts a list and returns an errno
   * @param lengthOfNext bytes of the message that the n-th posted request will take, or -1
   */
  ReceivePool(
      Run run,
      Zone zone,
      MemoryRegion region,
      int longest,
      SplittableRandom random,
      ToIntFunction<RecvRequestList> poster,
      IntUnaryOperator lengthOfNext) {
    this.run = run;
    this.zone = zone;
    this.region = region;
    this.longest = longest;
    this.random = random;
    this.poster = poster;
    this.lengthOfNext = lengthOfNext;
    target = run.options().integer(Knob.RQ);
    maxSges = run.options().integer(Knob.SGES);
    requests = new RecvRequestList(run.arena(), target, maxSges);
  }

  static int zoneBytes(SimulationOptions options, int longest) {
    return Math.min(options.integer(Knob.RQ), 3) * (longest + 256) + 8192;
  }

  /** Posts what is missing, now or later. */
  void replenish() {
    SimulationOptions options = run.options();
    boolean late = !run.healed() && random.nextInt(100) < options.get(Knob.LATE);
    long delay = late ? random.nextLong(options.get(Knob.LATE_NS) + 1) : 0;
    run.agenda().at(run.nowNs() + delay, this::post);
  }

  private void post() {
    if (closed) {
      return;
    }
    requests.clear();
    int before = posted.size();
    while (posted.size() < target) {
      List<Extent> pieces = pieces(capacity());
      if (pieces == null) {
        break;
      }
      PostedReceive receive = new PostedReceive(run.wrId(true), pieces);
      requests.add().wrId(receive.wrId);
      for (Extent piece : pieces) {
        piece.undetermined = true;
        requests.sge(region, piece.at - zone.start(), piece.length);
      }
      posted.add(receive);
    }
    if (posted.size() > before) {
      int errno = poster.applyAsInt(requests);
      require(
          errno == 0,
          Rule.RIGHT_STATUS,
          "posting %d receive requests with %d posted of %d returned errno %d",
          posted.size() - before,
          before,
          target,
          errno);
    }
    if (posted.isEmpty()) {
      run.agenda().at(run.nowNs() + RETRY_NS, this::post);
    }
  }

  private int capacity() {
    int known = lengthOfNext.applyAsInt(posted.size());
    if (known == UNKNOWN) {
      return longest;
    }
    return random.nextBoolean() ? known : Math.min(longest, known + random.nextInt(64));
  }

  private List<Extent> pieces(int capacity) {
    List<Extent> pieces = new ArrayList<>();
    if (!Pieces.take(pieces, zone, capacity, maxSges, random)) {
      return null;
    }
    return pieces;
  }

  /** A message was received: it must have taken the oldest request. */
  PostedReceive completed(String end, long wrId) {
    PostedReceive oldest = posted.poll();
    require(
        oldest != null && oldest.wrId == wrId,
        Rule.COMPLETED_ONCE_IN_ORDER,
        "%s completed receive wr_id=0x%x, but the oldest posted one is %s",
        end,
        wrId,
        oldest);
    return oldest;
  }

  /** Its memory may be used again. */
  void free(PostedReceive receive) {
    for (Extent piece : receive.pieces) {
      piece.undetermined = false;
      zone.give(piece);
    }
  }

  /** Nothing more is posted. */
  void close() {
    closed = true;
  }

  int posted() {
    return posted.size();
  }
}
