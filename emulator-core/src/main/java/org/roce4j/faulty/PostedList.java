package org.roce4j.faulty;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SendWrLayout;

/** A linked list of work requests in a program's memory. */
record PostedList(MemorySegment memory, long first, boolean sends) {
  private static final long NONE = -1;

  /**
   * @param call postSend or postRecv
   */
  static PostedList of(String call, MemorySegment memory, long first) {
    return new PostedList(memory, first, call.equals("postSend"));
  }

  /**
   * Whether the list has a request of that index. A list that cannot be read is left to the backend
   * to refuse.
   */
  boolean has(int index) {
    return index == 0 || at(index) != NONE;
  }

  /** Ends the list before a request; returns the address of that request. */
  long cutBefore(int index) {
    long last = at(index - 1);
    long next = next(last);
    write(last, 0);
    return next;
  }

  /** Undoes {@link #cutBefore}. */
  void joinBefore(int index, long next) {
    write(at(index - 1), next);
  }

  private long at(int index) {
    long at = offset(first);
    for (int i = 0; i < index && at != NONE; i++) {
      at = offset(next(at));
    }
    return at;
  }

  private long offset(long address) {
    if (memory == null || address == 0) {
      return NONE;
    }
    long at = address - memory.address();
    int size = sends ? SendWrLayout.SIZE : RecvWrLayout.SIZE;
    boolean readable =
        memory.isNative()
            && memory.scope().isAlive()
            && memory.isAccessibleBy(Thread.currentThread());
    return readable && at >= 0 && at <= memory.byteSize() - size ? at : NONE;
  }

  private long next(long at) {
    return sends ? SendWrLayout.next(memory, at) : RecvWrLayout.next(memory, at);
  }

  private void write(long at, long next) {
    if (memory.isReadOnly()) {
      throw Errno.EINVAL.refusal(
          "a plan of faults that refuses a request by index needs a list to cut");
    }
    if (sends) {
      SendWrLayout.next(memory, at, next);
    } else {
      RecvWrLayout.next(memory, at, next);
    }
  }
}
