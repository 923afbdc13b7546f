package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MwType;

/** The words of each refusal of a key or of a bind: the mistake, with the numbers. */
class WordsOfRefusalTest {
  private static final long VA = 0x1000;
  private static final int BYTES = 256;
  private static final int READ = AccessFlags.REMOTE_READ;
  private static final int WRITE = AccessFlags.REMOTE_WRITE;
  private static final int KEPT = AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND | READ;

  @AutoClose private final Arena arena = Arena.ofConfined();
  private final Domain domain = new Domain();
  private final Accessor qp = new Accessor(domain);
  private final Accessor stranger = new Accessor(new Domain());
  private final KeyTable keys = new KeyTable(new SplittableRandom(1), 100, 100);
  private final Region region = region(KEPT);
  private final Window first = keys.allocate(domain, MwType.TYPE_1);
  private final Window second = keys.allocate(domain, MwType.TYPE_2);

  private Region region(int access) {
    return keys.register(domain, arena.allocate(BYTES, 8), VA, access);
  }

  private void bind(Window window, long bytes) {
    window.bind(window.value() + 1, region, VA, bytes, READ, qp);
  }

  private String why(Accessor asking, String name, int key, long va, long bytes, int right) {
    return Denial.why(keys, asking, name, key, va, bytes, right);
  }

  private String why(Accessor asking, MemoryKey key, long va, long bytes, int right) {
    return why(asking, "rkey", key.value(), va, bytes, right);
  }

  /** A question about a key, and the answer; # is the key. */
  enum Refused {
    NO_KEY(t -> t.why(t.qp, "rkey", 7, VA, 1, READ), "rkey 0x7 names no region or window now: "),
    A_WINDOW_AS_LOCAL_KEY(
        t -> t.why(t.qp, "lkey", t.first.value(), VA, 1, 0), " is a window's, not a region's"),
    DEREGISTERED(
        t -> {
          t.region.revoke(); // still in the table, as for an engine that looked a moment before
          return t.why(t.qp, t.region, VA, 1, READ);
        },
        " was deregistered"),
    REGION_OF_ANOTHER_DOMAIN(
        t -> t.why(t.stranger, t.region, VA, 1, READ),
        "the region of rkey # belongs to another protection domain than the queue pair"),
    RIGHT_NOT_GRANTED(
        t -> t.why(t.qp, t.region, VA, 1, WRITE),
        "the region of rkey # grants LOCAL_WRITE|REMOTE_READ|MW_BIND only, REMOTE_WRITE is needed"),
    NO_RIGHT_AT_ALL(
        t -> t.why(t.qp, t.region(0), VA, 1, WRITE), " grants local reading only, REMOTE_WRITE "),
    OUTSIDE(
        t -> t.why(t.qp, t.region, VA + 250, 7, READ),
        "the region of rkey # has 256 bytes from 0x1000 on; 7 bytes at 0x10fa are not all in it"),
    MEMORY_GONE(
        t -> t.why(t.qp, t.region, VA + 250, 6, READ),
        "the region of rkey # lost its memory: the arena was closed, or the mapped file became"),
    NOT_BOUND(t -> t.why(t.qp, t.second, VA, 1, READ), "the window of rkey # is not bound"),
    WINDOW_OF_ANOTHER_DOMAIN(
        t -> {
          t.bind(t.first, 64);
          return t.why(t.stranger, t.first, VA, 1, READ);
        },
        "the window of rkey # belongs to another protection domain than the queue pair"),
    WINDOW_OF_ANOTHER_QUEUE_PAIR(
        t -> {
          t.bind(t.second, 64);
          return t.why(new Accessor(t.domain), t.second, VA, 1, READ);
        },
        "the window of rkey # is of type 2 and was bound on another queue pair"),
    OUTSIDE_THE_WINDOW(
        t -> {
          t.bind(t.second, 64);
          return t.why(t.qp, t.second, VA + 64, 1, READ);
        },
        "the window of rkey # has 64 bytes from 0x1000 on; 1 bytes at 0x1040 are not all in it"),
    OUTSIDE_A_WINDOW_FROM_ZERO(
        t -> {
          int rights = READ | AccessFlags.ZERO_BASED;
          t.second.bind(t.second.value() + 1, t.region, VA + 8, 64, rights, t.qp);
          return t.why(t.qp, t.second, 60, 5, READ);
        },
        "the window of rkey # has 64 bytes from 0x0 on; 5 bytes at 0x3c are not all in it"),
    RIGHT_NOT_OF_THE_WINDOW(
        t -> {
          t.bind(t.first, 64);
          return t.why(new Accessor(t.domain), t.first, VA, 1, WRITE); // it serves all of them
        },
        "the window of rkey # grants REMOTE_READ only, REMOTE_WRITE is needed");

    private final Function<WordsOfRefusalTest, String> asked;
    private final String answer;

    Refused(Function<WordsOfRefusalTest, String> asked, String answer) {
      this.asked = asked;
      this.answer = answer;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKeyThatGivesNoAccess(Refused refused) {
    String words = refused.asked.apply(this);
    assertHolds(words.replaceAll("key 0x[0-9a-f]{6,}", "key #"), refused.answer);
  }

  private static void assertHolds(String words, String part) {
    assertEquals(part, words.contains(part) ? part : words);
  }

  /** A bind that {@link Window#bind} refuses, and why. */
  enum NotBound {
    DEALLOCATED(t -> t.first.revoke(), Type.ONE, "the window was deallocated"),
    FOREIGN_QUEUE_PAIR(t -> t.asking = t.stranger, Type.ONE, "are not of one protection domain"),
    FOREIGN_REGION(
        t -> t.region.reregister(new Domain(), KEPT), Type.ONE, "are not of one protection domain"),
    NO_BYTES(t -> t.bytes = 0, Type.TWO, "is unbound by LOCAL_INV, not by a bind of no bytes"),
    BOUND(t -> t.bind(t.second, 8), Type.TWO, "that is bound must be invalidated first"),
    NO_REGION(t -> t.target = null, Type.ONE, "there is no region to bind it to"),
    REGION_GONE(t -> t.region.revoke(), Type.TWO, "or it was deregistered"),
    WITHOUT_THE_RIGHT(
        t -> t.target = t.region(AccessFlags.LOCAL_WRITE), Type.ONE, "LOCAL_WRITE, not MW_BIND"),
    TOO_LONG(t -> t.bytes = BYTES + 1, Type.TWO, "257 bytes at 0x1000 are not all in the region"),
    WRONG_RIGHTS(
        t -> {
          t.bind(t.first, 8); // a window of type 1 may be bound again
          t.rights = AccessFlags.LOCAL_WRITE;
        },
        Type.ONE,
        "the rights LOCAL_WRITE are not a"),
    WRITES_WHERE_THE_OWNER_MAY_NOT(
        t -> {
          t.target = t.region(AccessFlags.MW_BIND);
          t.rights = WRITE;
        },
        Type.TWO,
        "or need LOCAL_WRITE of a region");

    private final Consumer<WordsOfRefusalTest> prepare;
    private final Type type;
    private final String answer;

    NotBound(Consumer<WordsOfRefusalTest> prepare, Type type, String answer) {
      this.prepare = prepare;
      this.type = type;
      this.answer = answer;
    }
  }

  private enum Type {
    ONE,
    TWO
  }

  private Accessor asking = qp;
  private Region target = region;
  private long bytes = 64;
  private int rights = READ;

  @ParameterizedTest
  @EnumSource
  void aBindThatIsRefused(NotBound refused) {
    refused.prepare.accept(this);
    Window window = refused.type == Type.ONE ? first : second;
    assertFalse(window.bind(window.value() + 1, target, VA, bytes, rights, asking));
    assertHolds(window.whyNotBound(target, VA, bytes, rights, asking), refused.answer);
  }
}
