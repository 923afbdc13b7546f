package org.roce4j.property;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/** The completions of a walk's node, copied or read in place. */
final class WalkCompletions {
  private static final int AT_ONCE = 3;

  private final WorkCompletions copies;

  WalkCompletions(Arena arena) {
    copies = new WorkCompletions(arena, AT_ONCE);
  }

  /**
   * A completion. Of a failed one only {@code wrId}, {@code status} and {@code qpNum} are valid.
   *
   * @param immediate immediate data; 0 if there is none
   */
  record Done(
      long wrId,
      WcStatus status,
      WcOpcode opcode,
      int bytes,
      int flags,
      int immediate,
      int qpNum,
      int sourceQp) {
    void succeeded() {
      assertEquals(WcStatus.SUCCESS, status, this::toString);
    }
  }

  /** All completions in a queue. */
  List<Done> of(CompletionQueue cq) {
    return cq instanceof ExtendedCompletionQueue extended ? read(extended) : copied(cq);
  }

  private List<Done> copied(CompletionQueue cq) {
    List<Done> all = new ArrayList<>();
    for (int n = cq.poll(copies); n > 0; n = cq.poll(copies)) {
      for (int i = 0; i < n; i++) {
        WcStatus status = copies.status(i);
        boolean success = status == WcStatus.SUCCESS;
        boolean immediate = success && (copies.flags(i) & WcFlags.WITH_IMM) != 0;
        all.add(
            new Done(
                copies.wrId(i),
                status,
                success ? copies.opcode(i) : null,
                copies.byteLength(i),
                copies.flags(i),
                immediate ? copies.immediate(i) : 0,
                copies.qpNum(i),
                copies.sourceQp(i)));
      }
    }
    return all;
  }

  private static List<Done> read(ExtendedCompletionQueue cq) {
    List<Done> all = new ArrayList<>();
    int errno = cq.startPoll();
    boolean any = errno == 0;
    while (errno == 0) {
      WcStatus status = cq.status();
      boolean success = status == WcStatus.SUCCESS;
      boolean immediate = success && (cq.readWcFlags() & WcFlags.WITH_IMM) != 0;
      all.add(
          new Done(
              cq.wrId(),
              status,
              success ? cq.readOpcode() : null,
              cq.readByteLength(),
              cq.readWcFlags(),
              immediate ? cq.readImmediate() : 0,
              cq.readQpNum(),
              cq.readSourceQp()));
      errno = cq.nextPoll();
    }
    if (any) {
      cq.endPoll();
    }
    assertEquals(Errno.ENOENT.number(), errno);
    return all;
  }
}
