package org.roce4j.tools.perf.traffic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.SendRequestList;

/**
 * The client of a bandwidth test: keeps {@code txDepth} requests of every queue pair outstanding.
 * Queue pairs with room stand in a line, in random order at first; one alone is filled at once.
 */
final class StreamSender extends Player {
  /** The number of posts between two polls, which also let the device work. */
  private static final int MOST_POSTED = 4096;

  private static final byte WIPED = 0x5a;

  private final PerfLane[] line;

  /** The queue pairs in the order in which a round begins. */
  private final List<PerfLane> order;

  private int first;
  private int waiting;
  private long messagesPosted;
  private int unfinished;

  StreamSender(PerfSide side) {
    super(side);
    line = new PerfLane[lanes.length];
    order = new ArrayList<>(List.of(lanes));
    Collections.shuffle(order, new Random(lanes.length));
    for (PerfLane lane : lanes) {
      prepare(lane);
    }
  }

  private void prepare(PerfLane lane) {
    int count = plan.postList();
    int slots = side.layout().sendSlots();
    int lists = slots % count == 0 ? slots / count : 1;
    lane.quiet = new SendRequestList[lists];
    lane.signaled = new SendRequestList[lists];
    for (int i = 0; i < lists; i++) {
      int every = count == 1 ? 1 : plan.signalEvery();
      lane.signaled[i] = requests(lane, i * count, count, every);
      boolean sparse = count == 1 && plan.signalEvery() > 1;
      lane.quiet[i] = sparse ? requests(lane, i, 1, 0) : lane.signaled[i];
    }
    lane.postedNs = new long[plan.txDepth() / plan.signalEvery() + 2];
  }

  @Override
  void beginRound() {
    first = 0;
    waiting = 0;
    unfinished = lanes.length;
    for (PerfLane lane : order) {
      lane.ready = false;
      enqueue(lane);
    }
  }

  private void enqueue(PerfLane lane) {
    if (!lane.ready) {
      lane.ready = true;
      int last = first + waiting++;
      line[last < line.length ? last : last - line.length] = lane;
    }
  }

  private PerfLane dequeue() {
    PerfLane lane = line[first];
    first = first + 1 < line.length ? first + 1 : 0;
    waiting--;
    lane.ready = false;
    return lane;
  }

  @Override
  boolean step() {
    boolean moved = waiting > 0;
    long most = messagesPosted + MOST_POSTED;
    while (waiting > 0 && messagesPosted < most) {
      PerfLane lane = dequeue();
      if (mayPost(lane)) {
        postNext(lane);
        if (mayPost(lane)) {
          enqueue(lane);
        }
      }
    }
    return poll() > 0 | moved;
  }

  /**
   * After a stop each queue pair goes on to its next completion, so that no request stays
   * outstanding.
   */
  private boolean mayPost(PerfLane lane) {
    return lane.posted - lane.completed + plan.postList() <= plan.txDepth()
        && lane.posted < target
        && (!stopped || lane.posted % plan.signalEvery() != 0);
  }

  private void postNext(PerfLane lane) {
    int count = plan.postList();
    long message = lane.before + lane.posted;
    if (bytes != null) {
      for (int i = 0; i < count; i++) {
        write(lane, message + i);
      }
    }
    boolean signal =
        count > 1 || (lane.posted + 1) % plan.signalEvery() == 0 || lane.posted + 1 == target;
    SendRequestList[] lists = signal ? lane.signaled : lane.quiet;
    SendRequestList list = lists[(int) (message / count % lists.length)];
    if (bytes != null) {
      // Copies the bytes where that is asked for, and goes round in as many places as the peer has.
      add(list.clear(), lane, message, signal, side.sent(lane, message));
    }
    if (signal) {
      noteTimes(lane, count == 1 ? 1 : count / plan.signalEvery());
    }
    post(lane.qp, list);
    lane.posted += count;
    messagesPosted += count;
  }

  private void noteTimes(PerfLane lane, int count) {
    long nowNs = clock.getAsLong();
    for (int i = 0; i < count; i++) {
      lane.postedNs[lane.timesPut++ % lane.postedNs.length] = nowNs;
    }
  }

  @Override
  void completed(PerfLane lane, long nowNs) {
    long done = Math.min(plan.signalEvery(), lane.posted - lane.completed);
    measurement.latency(nowNs - lane.postedNs[lane.timesTaken++ % lane.postedNs.length]);
    if (bytes != null) {
      for (long i = 0; i < done; i++) {
        check(lane, lane.before + lane.completed + i);
      }
    }
    lane.completed += done;
    measurement.done(done, nowNs);
    if (mayPost(lane)) {
      enqueue(lane);
    } else if (lane.completed == lane.posted && (stopped || lane.posted >= target)) {
      unfinished--;
    }
  }

  @Override
  void stop() {
    if (stopped) {
      return;
    }
    super.stop();
    unfinished = 0;
    for (PerfLane lane : lanes) {
      if (lane.completed < lane.posted || lane.posted % plan.signalEvery() != 0) {
        unfinished++;
      }
      if (mayPost(lane)) {
        enqueue(lane);
      }
    }
  }

  @Override
  boolean finished() {
    return unfinished == 0;
  }

  private void write(PerfLane lane, long message) {
    MemorySegment place = side.sent(lane, message);
    switch (plan.verb()) {
      case SEND, WRITE -> bytes.fill(lane.index, message, place);
      case READ, ATOMIC -> place.fill(WIPED);
    }
  }

  private void check(PerfLane lane, long message) {
    MemorySegment place = side.sent(lane, message);
    switch (plan.verb()) {
      case READ -> bytes.check(lane.index, message % side.layout().receiveSlots(), place);
      case ATOMIC -> {
        long original = place.get(ValueLayout.JAVA_LONG, 0);
        if (original != message) {
          throw ToolFailure.atRunTime(
              "wrong data: FETCH_AND_ADD %d on queue pair %d found %d",
              message, lane.index, original);
        }
        bytes.count(Long.BYTES);
      }
      default -> {}
    }
  }
}
