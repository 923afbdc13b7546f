package org.roce4j.faulty;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.roce4j.faulty.VerbsRule.Kind;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.layout.WcLayout;

/**
 * Applies the plan to the completions and events of one queue, for both ways to poll. Thread-safe.
 */
final class FaultyQueue {
  private static final Set<Kind> OF_COMPLETIONS = Set.of(Kind.LATE, Kind.FAIL, Kind.CQ_OVERFLOW);

  private final CompletionQueue cq;
  private final CompletionChannel channel;
  private final Decoration decoration;
  private final HeldCompletions held = new HeldCompletions();

  /** The rule by which the queue overflowed; null: it did not. */
  private VerbsRule overflown;

  /** Whether the program has requested an event for the next completion. */
  private boolean armed;

  /** The number of events of delayed completions that are not acknowledged. */
  private int events;

  FaultyQueue(CompletionQueue cq, Decoration decoration) {
    this.cq = cq;
    this.channel = cq.channel();
    this.decoration = decoration;
  }

  /** The channel of the queue; null: none. */
  CompletionChannel channel() {
    return channel;
  }

  /** {@link CompletionQueue#poll(MemorySegment, long, int)}. */
  synchronized int poll(MemorySegment memory, long address, int max) {
    if (!fits(memory, address, max)) {
      return cq.poll(memory, address, max); // which throws
    }
    long at = address - memory.address();
    int count = 0;
    for (TakenCompletion late; count < max && (late = due()) != null; count++) {
      late.write(memory, at + (long) count * WcLayout.SIZE);
    }
    int came = cq.poll(memory, address + (long) count * WcLayout.SIZE, max - count);
    for (int i = count, end = count + came; i < end; i++) {
      TakenCompletion completion = TakenCompletion.written(memory, at + (long) i * WcLayout.SIZE);
      if (passes(completion)) {
        completion.write(memory, at + (long) count++ * WcLayout.SIZE);
      }
    }
    return count > 0 || came >= 0 && overflown == null
        ? count
        : came < 0 ? came : -Errno.EIO.number();
  }

  private static boolean fits(MemorySegment memory, long address, int max) {
    return memory != null
        && memory.isNative()
        && !memory.isReadOnly()
        && memory.scope().isAlive()
        && memory.isAccessibleBy(Thread.currentThread())
        && address >= memory.address()
        && (long) max * WcLayout.SIZE <= memory.byteSize() - (address - memory.address());
  }

  /** Whether the program gets a completion now. The plan may change its status. */
  synchronized boolean passes(TakenCompletion completion) {
    if (overflown != null) {
      return false;
    }
    int qpn = completion.qpn();
    long nowNs = decoration.plan().nowNs();
    long dueNs = held.dueNs(qpn);
    for (VerbsRule rule : decoration.plan().choose(OF_COMPLETIONS, qpn, 0)) {
      switch (rule.kind()) {
        case LATE -> dueNs = Math.max(dueNs, nowNs + rule.value());
        case FAIL -> {
          if (completion.status() == WcStatus.SUCCESS.value()) {
            completion.fail((int) rule.value());
            decoration.plan().tellFailure(rule, cq, completion);
            decoration.toError(rule, qp -> qp.qpNum() == qpn);
          }
        }
        default -> {
          overflow(rule);
          return false;
        }
      }
    }
    if (dueNs == Long.MIN_VALUE) {
      return true;
    }
    held.hold(completion, dueNs);
    return false;
  }

  private void overflow(VerbsRule rule) {
    overflown = rule;
    decoration.raise(MadeEvent.about(EventType.CQ_ERR, decoration.of(cq)));
    decoration.toError(rule, qp -> qp.sendCq() == cq || qp.recvCq() == cq);
  }

  /** The rule by which the queue overflowed; null: it did not. */
  synchronized VerbsRule overflown() {
    return overflown;
  }

  /** Removes and returns a delayed completion that is due; null: none. */
  synchronized TakenCompletion due() {
    return held.release(decoration.plan().nowNs());
  }

  synchronized void arm() {
    armed = true;
  }

  /** The decorated queue has delivered its event. */
  synchronized void disarm() {
    armed = false;
  }

  /** As {@link CompletionQueue#ackEvents}: acknowledges events of delayed completions first. */
  void acknowledge(int count) {
    int made;
    synchronized (this) {
      made = Math.clamp(count, 0, events);
      events -= made;
    }
    cq.ackEvents(count - made);
  }

  /**
   * Nanoseconds until the next event of a delayed completion on a channel; {@link Long#MAX_VALUE}:
   * none.
   */
  synchronized long untilEventNs(CompletionChannel asked) {
    return armed && channel == asked ? held.untilNextNs(decoration.plan().nowNs()) : Long.MAX_VALUE;
  }

  /** Takes the event of a delayed completion that is due; false if there is none. */
  synchronized boolean announces(CompletionChannel asked) {
    if (untilEventNs(asked) > 0) {
      return false;
    }
    armed = false;
    events++;
    return true;
  }
}
