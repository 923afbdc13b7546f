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
import org.roce4j.verbs.text.Wording;

/** The receive requests of a queue pair, which the pool keeps posted, at times late. */
final class ReceivePool implements Arrivals.Receives {
  private static final int RETRY_NS = 20_000;
  private static final int UNKNOWN = -1;

  private final World world;
  private final boolean shared;
  private final int target;
  private final Zone zone;
  private final MemoryRegion region;
  private final int longest;
  private final int maxSges;
  private final SplittableRandom random;
  private final RecvRequestList requests;
  private final ToIntFunction<RecvRequestList> poster;
  private final IntUnaryOperator lengthOfNext;
  private final Deque<PostedReceive> posted = new ArrayDeque<>();
  private boolean closed;

  /** Messages that arrived and whose completions were not seen. */
  private int claimed;

  /**
   * @param shared whether queue pairs share the requests
   * @param target number of requests to keep posted
   * @param longest length of the longest message that must fit, bytes
   * @param poster posts a list and returns an errno
   * @param lengthOfNext length of the message that the n-th posted request will take, or -1 if
   *     unknown
   */
  ReceivePool(
      World world,
      boolean shared,
      int target,
      Zone zone,
      MemoryRegion region,
      int longest,
      SplittableRandom random,
      ToIntFunction<RecvRequestList> poster,
      IntUnaryOperator lengthOfNext) {
    this.world = world;
    this.shared = shared;
    this.target = target;
    this.zone = zone;
    this.region = region;
    this.longest = longest;
    this.random = random;
    this.poster = poster;
    this.lengthOfNext = lengthOfNext;
    maxSges = world.options.integer(Knob.SGES);
    requests = new RecvRequestList(world.arena, target, maxSges);
  }

  static int zoneBytes(int target, int most, int longest) {
    return Math.min(target, most) * (longest + 256) + 8192;
  }

  /** Posts the missing requests, now or later. */
  void replenish() {
    SimulationOptions options = world.options;
    boolean late = !world.faultsOver() && random.nextInt(100) < options.get(Knob.LATE);
    long delay = late ? random.nextLong(options.get(Knob.LATE_NS) + 1) : 0;
    world.agenda.after(delay, this::post);
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
      PostedReceive receive = new PostedReceive(world.wrId(true), pieces);
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
          OracleRule.RIGHT_STATUS,
          "posting %d receive requests with %d posted of %d returned errno %d",
          posted.size() - before,
          before,
          target,
          errno);
    }
    if (posted.isEmpty()) {
      world.agenda.after(RETRY_NS, this::post);
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

  /** A receive request completed: it must be the oldest posted one. */
  PostedReceive completed(String end, long wrId) {
    if (shared) {
      return completedOfMany(end, wrId);
    }
    PostedReceive oldest = posted.poll();
    require(
        oldest != null && oldest.wrId == wrId,
        OracleRule.COMPLETED_ONCE_IN_ORDER,
        "%s completed receive wr_id=0x%x, but the oldest posted one is %s",
        end,
        wrId,
        oldest);
    return oldest;
  }

  /**
   * A request of a shared queue completed. Each queue pair may hold one request that it took before
   * this one, and completions of several queues are seen in any order.
   */
  private PostedReceive completedOfMany(String end, long wrId) {
    RuleBroken.checks(OracleRule.COMPLETED_ONCE_IN_ORDER);
    int older = 0;
    for (PostedReceive each : posted) {
      if (each.wrId == wrId) {
        posted.remove(each);
        return each;
      }
      require(
          ++older <= world.options.ends() || world.options.severalCqs(),
          OracleRule.COMPLETED_ONCE_IN_ORDER,
          "%s completed receive wr_id=0x%x, but %d older ones are still posted",
          end,
          wrId,
          older);
    }
    throw new RuleBroken(
        OracleRule.COMPLETED_ONCE_IN_ORDER,
        Wording.of("%s completed receive wr_id=0x%x, which is not posted", end, wrId));
  }

  boolean has(long wrId) {
    return posted.stream().anyMatch(receive -> receive.wrId == wrId);
  }

  /** Stops posting. Returns the posted requests, which do not complete any more. */
  List<PostedReceive> abandon() {
    closed = true;
    List<PostedReceive> left = List.copyOf(posted);
    posted.clear();
    return left;
  }

  boolean shared() {
    return shared;
  }

  @Override
  public void claim(int requests) {
    claimed += requests;
  }

  @Override
  public boolean surelyFree() {
    return !shared && posted.size() > claimed;
  }

  /** Requires that no posted request was written to. */
  void checkUntouched() {
    for (PostedReceive receive : posted) {
      for (Extent piece : receive.pieces) {
        piece.memory.check(piece, "posted and never taken: " + receive);
      }
    }
  }

  /** Gives the memory of a request back. */
  void free(PostedReceive receive) {
    for (Extent piece : receive.pieces) {
      piece.undetermined = false;
      zone.give(piece);
    }
  }

  /** Stops posting. */
  void close() {
    closed = true;
  }

  int posted() {
    return posted.size();
  }
}
