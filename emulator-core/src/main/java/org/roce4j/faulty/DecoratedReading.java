package org.roce4j.faulty;

import java.lang.reflect.Method;
import java.util.concurrent.locks.ReentrantLock;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;

/** A completion queue whose completions are read one by one, field by field. */
final class DecoratedReading extends DecoratedQueue {
  private final ExtendedCompletionQueue cq;

  /** Held from a successful start of polling to its end. It guards the fields below. */
  private final ReentrantLock reading = new ReentrantLock();

  /** Whether polling of the decorated queue has started. */
  private boolean begun;

  /** The current completion; null: none. */
  private TakenCompletion taken;

  DecoratedReading(ExtendedCompletionQueue cq, Decoration decoration) {
    super(cq, decoration);
    this.cq = cq;
  }

  @Override
  Object answer(String name, Method method, Object[] arguments) throws Throwable {
    switch (name) {
      case "startPoll", "nextPoll" -> {
        PlannedRefusal refusal = decoration.refused(name, object);
        return refusal != null
            ? refusal.errno().number()
            : name.equals("startPoll") ? startPoll() : nextPoll();
      }
      case "endPoll" -> {
        endPoll();
        return null;
      }
      default -> {
        return TakenCompletion.isReader(name) && reading.isHeldByCurrentThread() && taken != null
            ? taken.read(name)
            : super.answer(name, method, arguments);
      }
    }
  }

  private int startPoll() {
    if (reading.isHeldByCurrentThread()) {
      return Errno.EINVAL.number();
    }
    reading.lock();
    int errno = Errno.EIO.number();
    try {
      errno = advance();
    } finally {
      if (errno != 0) {
        finish();
      }
    }
    return errno;
  }

  private int nextPoll() {
    if (!reading.isHeldByCurrentThread()) {
      return Errno.EINVAL.number();
    }
    int errno = advance();
    return errno == Errno.EIO.number() ? Errno.ENOENT.number() : errno;
  }

  private void endPoll() {
    if (!reading.isHeldByCurrentThread()) {
      cq.endPoll(); // which throws
    } else {
      finish();
    }
  }

  private void finish() {
    boolean polled = begun;
    begun = false;
    try {
      if (polled) {
        cq.endPoll();
      }
    } finally {
      reading.unlock();
    }
  }

  /** Advances to the next completion that the plan lets pass now. */
  private int advance() {
    taken = faulty.due();
    while (taken == null) {
      int errno = begun ? cq.nextPoll() : cq.startPoll();
      if (errno != 0) {
        return faulty.overflown() != null ? Errno.EIO.number() : errno;
      }
      begun = true;
      TakenCompletion came = TakenCompletion.standing(cq);
      if (faulty.passes(came)) {
        taken = came;
      }
    }
    return 0;
  }
}
