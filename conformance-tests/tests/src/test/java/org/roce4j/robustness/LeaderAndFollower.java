package org.roce4j.robustness;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * The program that most users write first: one thread writes with immediate data, another takes the
 * immediate data and posts the next receive. Both wait on completion channels. The leader does not
 * know whether a receive is posted.
 */
final class LeaderAndFollower implements AutoCloseable {
  private static final long PATIENCE_S = 30;

  private final RcSide leader;
  private final RcSide follower;
  private final int messages;

  LeaderAndFollower(RcSide leader, RcSide follower, int messages) {
    this.leader = leader;
    this.follower = follower;
    this.messages = messages;
    RcSide.connect(leader, follower, 14, 7);
  }

  /**
   * Runs both threads and waits until they have ended.
   *
   * @param lead executor of the leader
   * @param follow executor of the follower
   */
  void run(ExecutorService lead, ExecutorService follow) throws Exception {
    Future<?> leads = lead.submit(all(this::lead));
    Future<?> follows = follow.submit(all(this::follow));
    ended(leads, "leader");
    ended(follows, "follower");
  }

  private static void ended(Future<?> part, String name) throws Exception {
    try {
      part.get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("the " + name + " hangs", e);
    } catch (ExecutionException e) {
      throw new AssertionError("the " + name + " fails", e.getCause());
    }
  }

  private static Callable<Void> all(Runnable part) {
    return () -> {
      part.run();
      return null;
    };
  }

  private void lead() {
    for (int i = 0; i < messages; i++) {
      int errno =
          leader.rdma(
              WrOpcode.RDMA_WRITE_WITH_IMM, i, 0, 64, follower.mr.iova(), follower.mr.rkey());
      if (errno != 0) {
        throw new AssertionError("message " + i + " was refused: " + errno);
      }
      await(leader);
    }
  }

  private void follow() {
    for (int i = 0; i < messages; i++) {
      follower.receive(i, 0, 0);
      await(follower);
    }
  }

  /** As the manual page of ibv_get_cq_event recommends: poll, arm, poll again, wait. */
  static void await(RcSide side) {
    List<RcSide.Completion> taken = side.poll();
    if (taken.isEmpty()) {
      side.cq.requestNotification(false);
      taken = side.poll();
    }
    while (taken.isEmpty()) {
      side.channel.getCqEvent().ackEvents(1);
      side.cq.requestNotification(false);
      taken = side.poll();
    }
    if (taken.size() != 1 || taken.getFirst().status() != WcStatus.SUCCESS) {
      throw new AssertionError(taken.toString());
    }
  }

  @Override
  public void close() {
    leader.close();
    follower.close();
  }
}
