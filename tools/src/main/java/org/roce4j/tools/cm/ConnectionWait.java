package org.roce4j.tools.cm;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The waits of one thread for completions. Meanwhile they receive the events of the connection, so
 * that a peer that leaves ends the wait within a tenth of a second. A peer that is silent for a
 * long time is probed, because a peer that was killed sends no event.
 */
final class ConnectionWait {
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int LOOKS_OF_A_SECOND = 10;

  /** The time after which a command prints the object of its wait. */
  static final int NOTE_S = 5;

  private final Events events;
  private final Consumer<String> note;

  /** Why nothing completes any more; null if something may. */
  private String over;

  /** The events of a connection. */
  interface Events {
    /** No events, because another thread receives them or there is no connection. */
    Events NONE = () -> null;

    /**
     * Handles the events that have arrived.
     *
     * @return why nothing completes any more; null if something may
     */
    String hear();
  }

  /**
   * Waits of one thread.
   *
   * @param note receives the object of a long wait, for a message
   */
  ConnectionWait(Events events, Consumer<String> note) {
    this.events = events;
    this.note = note;
  }

  /** Why nothing completes any more, by the events so far; null if something may. */
  String over() {
    return over;
  }

  /** Waits for sends, which fail by themselves if the peer does not answer. */
  int awaitSends(CompletionQueue cq, WorkCompletions into, Supplier<String> what) {
    return await(cq, null, Integer.MAX_VALUE, into, what);
  }

  /**
   * Waits for receives.
   *
   * @param sender a queue pair whose sends have all completed, to ask the peer by; null: the peer
   *     cannot be asked
   * @param patienceS seconds
   * @return the number of completions, 1 or more
   * @throws ToolFailure if the connection is over, or the peer does not answer
   */
  int awaitReceives(
      CompletionQueue cq,
      QueuePair sender,
      int patienceS,
      WorkCompletions into,
      Supplier<String> what) {
    boolean connected = sender != null && sender.qpType() == QpType.RC;
    return await(cq, connected ? sender : null, patienceS, into, what);
  }

  private int await(
      CompletionQueue cq,
      QueuePair sender,
      int patienceS,
      WorkCompletions into,
      Supplier<String> what) {
    try (Question question = new Question(sender)) {
      for (int looks = 1; ; looks++) {
        int got = look(cq, into);
        if (got > 0) {
          question.finish(what);
          return got;
        }
        if (over != null) {
          throw ToolFailure.atRunTime(over + ": " + what.get());
        }
        over = events.hear();
        question.check(what);
        if (looks % LOOKS_OF_A_SECOND == 0) {
          seconds(looks / LOOKS_OF_A_SECOND, patienceS, question, what);
        }
      }
    }
  }

  /** Completions that are there, or come within a tenth of a second. */
  private static int look(CompletionQueue cq, WorkCompletions into) {
    int got = cq.pollOrThrow(into);
    if (got > 0) {
      return got;
    }
    cq.requestNotification(false);
    got = cq.pollOrThrow(into);
    if (got > 0) {
      return got;
    }
    CompletionQueue told = cq.channel().getCqEvent(LOOK_NS);
    if (told != null) {
      told.ackEvents(1);
    }
    return cq.pollOrThrow(into);
  }

  private void seconds(int silent, int patienceS, Question question, Supplier<String> what) {
    if (silent == NOTE_S) {
      note.accept("waiting: " + what.get());
    }
    if (silent % NOTE_S == 0) {
      question.ask();
    }
    if (silent >= patienceS) {
      throw ToolFailure.atRunTime("%s, and none in the last %d s", what.get(), silent);
    }
  }

  /**
   * A WRITE of no bytes: needs no memory and no receive of the peer, and its program does not
   * notice it. rsockets keep their connections alive by it.
   */
  static final class Question implements AutoCloseable {
    private final QueuePair qp;
    private SendRequestList request;
    private WorkCompletions answer;
    private boolean asked;

    /**
     * A probe that is not sent yet.
     *
     * @param qp a queue pair whose sends have all completed; null: the peer cannot be probed
     */
    Question(QueuePair qp) {
      this.qp = qp;
    }

    void ask() {
      if (qp == null || asked) {
        return;
      }
      if (request == null) {
        request = new SendRequestList(1, 1, 0);
        request.add().opcode(WrOpcode.RDMA_WRITE).remote(0, 0).flags(SendFlags.SIGNALED);
        answer = new WorkCompletions(1);
      }
      qp.postSendOrThrow(request);
      asked = true;
    }

    void check(Supplier<String> what) {
      if (asked && qp.sendCq().pollOrThrow(answer) > 0) {
        judge(what);
      }
    }

    /**
     * Waits for the probe, so that the send queue is empty before the next request. If the probe
     * failed, the receives are flushed.
     */
    void finish(Supplier<String> what) {
      while (asked) {
        if (look(qp.sendCq(), answer) > 0) {
          judge(what);
        }
      }
    }

    private void judge(Supplier<String> what) {
      asked = false;
      WcStatus status = answer.status(0);
      if (status != WcStatus.SUCCESS && status != WcStatus.WR_FLUSH_ERR) {
        throw ToolFailure.atRunTime(
            "the peer does not answer, %s: %s", WcStatus.describe(status.value()), what.get());
      }
    }

    @Override
    public void close() {
      if (request != null) {
        request.close();
        answer.close();
      }
    }
  }
}
