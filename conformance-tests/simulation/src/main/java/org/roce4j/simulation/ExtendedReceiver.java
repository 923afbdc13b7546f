package org.roce4j.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.text.Wording;

/**
 * A shared receive queue of an XRC domain, with a protection domain and a completion queue of its
 * own, and the messages that it must receive: each message that names it, once, in the order of its
 * initiator.
 */
final class ExtendedReceiver {
  /** Longest message, bytes. */
  static final int MOST_BYTES = 2048;

  private static final int SLOTS = 16;

  /** Offset in the region of the counter that peers add to, after the slots. */
  private static final int COUNTER_AT = SLOTS * MOST_BYTES;

  /** Offset in the region of the bytes that peers read. */
  private static final int PATTERN_AT = COUNTER_AT + 4096;

  private static final int WRITTEN_AT = PATTERN_AT + MOST_BYTES;
  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;

  private final int index;
  private final CompletionQueue cq;
  private final SharedReceiveQueue srq;
  private final MemorySegment memory;
  private final MemoryRegion region;
  private final WorkCompletions completions;
  private final RecvRequestList request;
  private final boolean[] posted = new boolean[SLOTS];
  private final Map<Integer, ExtendedSender> byTarget = new HashMap<>();
  private long digest;

  ExtendedReceiver(Context context, XrcDomain domain, Arena arena, int index) {
    this.index = index;
    ProtectionDomain pd = context.allocPd();
    cq = context.createCq(SLOTS);
    memory = arena.allocate(WRITTEN_AT + 16L * MOST_BYTES, 4096);
    region = pd.registerMemory(memory, RIGHTS);
    completions = new WorkCompletions(arena, 1);
    request = new RecvRequestList(arena, 1, 1);
    for (int i = 0; i < MOST_BYTES; i++) {
      memory.set(ValueLayout.JAVA_BYTE, PATTERN_AT + (long) i, pattern(i));
    }
    srq =
        context.createSrq(
            new SrqInitAttrEx()
                .srqType(SrqType.XRC)
                .pd(pd)
                .xrcd(domain)
                .cq(cq)
                .maxWr(SLOTS)
                .maxSge(1));
  }

  /** The byte at {@code at} of the memory that peers read. */
  byte pattern(int at) {
    return (byte) (at * 13 + index);
  }

  /** Messages through the target queue pair {@code target} come from the initiator {@code from}. */
  void expect(int target, ExtendedSender from) {
    byTarget.put(target, from);
  }

  int number() {
    return srq.srqNum();
  }

  int rkey() {
    return region.rkey();
  }

  long counterVa() {
    return region.address() + COUNTER_AT;
  }

  long patternVa() {
    return region.address() + PATTERN_AT;
  }

  /** The address that the initiator {@code sender} writes to. */
  long writtenVa(int sender) {
    return region.address() + WRITTEN_AT + (long) sender * MOST_BYTES;
  }

  byte written(int sender, int at) {
    return memory.get(ValueLayout.JAVA_BYTE, WRITTEN_AT + (long) sender * MOST_BYTES + at);
  }

  /** Posts at most {@code most} of the free requests. */
  void post(int most) {
    int left = most;
    for (int slot = 0; slot < SLOTS && left > 0; slot++) {
      if (!posted[slot]) {
        posted[slot] = true;
        left--;
        request.clear();
        request.add().wrId(slot).sge(region, (long) slot * MOST_BYTES, MOST_BYTES);
        srq.postRecvOrThrow(request);
      }
    }
  }

  /** Takes the completions and judges them. */
  void poll() {
    while (cq.poll(completions) == 1) {
      int slot = (int) completions.wrId(0);
      demand(completions.status(0) == WcStatus.SUCCESS, "a receive failed: " + completions);
      demand(posted[slot], "a request completed twice");
      posted[slot] = false;
      ExtendedSender from = byTarget.get(completions.qpNum(0));
      demand(from != null, "the completion names no target");
      MemorySegment bytes = memory.asSlice((long) slot * MOST_BYTES, MOST_BYTES);
      from.arrived(index, completions, bytes);
      digest = 31 * digest + 17L * completions.byteLength(0) + slot;
    }
  }

  /** Requires that every message sent to this queue was received, and every addition counted. */
  void isComplete(List<ExtendedSender> senders) {
    long counted = 0;
    for (ExtendedSender sender : senders) {
      sender.leftNothing(index);
      counted += sender.counted(index);
    }
    long word = memory.get(ValueLayout.JAVA_LONG, COUNTER_AT);
    demand(word == counted, Wording.of("the counter is %d, not %d", word, counted));
  }

  long digest() {
    return digest;
  }

  private void demand(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError("queue " + index + ": " + otherwise);
    }
  }
}
