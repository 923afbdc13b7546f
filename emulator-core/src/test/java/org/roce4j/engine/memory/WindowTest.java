package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MwType;

/** Memory windows (rc-transport 6.5, R12). */
class WindowTest {
  private static final MemorySegment MEMORY = Arena.ofAuto().allocate(4096);
  private static final int READ = AccessFlags.REMOTE_READ;
  private static final int WRITE = AccessFlags.REMOTE_WRITE;
  private static final long VA = 0x1000;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Domain domain = new Domain();
  private final Accessor qp = new Accessor(domain);
  private final KeyTable keys = new KeyTable(new SplittableRandom(1), 100, 100);
  private final Region region =
      keys.register(domain, MEMORY, VA, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);

  private Window window(MwType type) {
    return keys.allocate(domain, type);
  }

  private boolean bind(Window window, Region target, long address, long length, int rights) {
    return window.bind(window.value() + 1, target, address, length, rights, qp);
  }

  @Property(tries = 2000)
  void givesAccessToItsRangeAlone(
      @ForAll @LongRange(max = 4096) long start,
      @ForAll @LongRange(min = 1, max = 4096) long length,
      @ForAll @LongRange(min = -10, max = 5000) long offset,
      @ForAll @LongRange(max = 4097) long bytes,
      @ForAll boolean zeroBased) {
    Window window = window(MwType.TYPE_2);
    boolean fits = start + length <= 4096;
    int rights = READ | (zeroBased ? AccessFlags.ZERO_BASED : 0);
    assertEquals(fits, bind(window, region, VA + start, length, rights));
    boolean inside = fits && offset >= 0 && offset + bytes <= length;
    long va = zeroBased ? offset : VA + start + offset;
    assertEquals(inside ? start + offset : -1, locate(window, va, bytes, READ, qp));
    keys.remove(window);
  }

  @ParameterizedTest
  @EnumSource(MwType.class)
  void isNoKeyBeforeItIsBound(MwType type) {
    assertEquals(-1, locate(window(type), VA, 1, READ, qp));
  }

  @Test
  void hasItsOwnRights() {
    Window window = window(MwType.TYPE_1);
    assertTrue(bind(window, region, VA, 64, READ));
    assertEquals(-1, locate(window, VA, 1, WRITE, qp));
    assertEquals(-1, locate(window, VA, 1, READ | WRITE, qp));
    assertEquals(-1, locate(window, VA, 1, READ, new Accessor(new Domain())));
  }

  @ParameterizedTest
  @ValueSource(ints = {WRITE, AccessFlags.REMOTE_ATOMIC})
  void rightsToWriteNeedMemoryThatMayBeWritten(int rights) {
    Region readOnly = keys.register(domain, MEMORY, VA, AccessFlags.MW_BIND);
    assertFalse(bind(window(MwType.TYPE_2), readOnly, VA, 64, rights));
    assertTrue(bind(window(MwType.TYPE_2), readOnly, VA, 64, READ));
    assertTrue(bind(window(MwType.TYPE_2), region, VA, 64, rights));
  }

  @Test
  void aBindOfNoBytesEndsTheBindingOfTypeOneAndChangesTheKey() {
    Window window = window(MwType.TYPE_1);
    assertTrue(bind(window, region, VA, 64, READ));
    int key = window.value();
    assertTrue(window.bind(0xabcdef12, null, 0, 0, 0, qp));
    assertEquals(key & ~0xff | 0x12, window.value());
    assertFalse(window.bound());
    assertFalse(region.hasWindows());
  }

  @Test
  void aTypeOneWindowThatIsBoundAnewLeavesItsRegion() {
    Region other = keys.register(domain, MEMORY, VA, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
    Window window = window(MwType.TYPE_1);
    assertTrue(bind(window, region, VA, 64, READ));
    assertTrue(window.isBoundTo(region));
    assertTrue(bind(window, other, VA, 64, READ));
    assertFalse(region.hasWindows());
    assertFalse(window.isBoundTo(region));
    assertTrue(other.hasWindows());
    keys.remove(window);
    assertFalse(other.hasWindows());
  }

  @Test
  void aWindowThatIsGoneIsNotBound() {
    Window window = window(MwType.TYPE_1);
    keys.remove(window);
    assertFalse(bind(window, region, VA, 64, READ));
    assertFalse(region.hasWindows());
  }

  @Test
  void typeTwoServesItsQueuePairAloneAndTypeOneAll() {
    Window two = window(MwType.TYPE_2);
    Window one = window(MwType.TYPE_1);
    assertTrue(bind(two, region, VA, 64, READ));
    assertTrue(bind(one, region, VA, 64, READ));
    assertEquals(-1, locate(two, VA, 1, READ, new Accessor(domain)));
    assertEquals(0, locate(one, VA, 1, READ, new Accessor(domain)));
  }

  @Test
  void bindingChangesTheLowByteOfTheKeyAlone() {
    Window window = window(MwType.TYPE_2);
    int before = window.value();
    assertTrue(window.bind(~before, region, VA, 64, READ, qp));
    assertEquals(before >>> 8, window.value() >>> 8);
    assertEquals(~before & 0xff, window.value() & 0xff);
  }

  @Test
  void aBindThatIsRefusedChangesNothing() {
    Window window = window(MwType.TYPE_1);
    assertTrue(bind(window, region, VA, 64, READ));
    int key = window.value();
    assertFalse(bind(window, region, VA, 4097, READ));
    assertEquals(key, window.value());
    assertEquals(0, locate(window, VA, 64, READ, qp));
  }

  @Test
  void refusesWhatTheRulesForbid() {
    Region plain = keys.register(domain, MEMORY, VA, AccessFlags.LOCAL_WRITE);
    Region readable = keys.register(domain, MEMORY, VA, AccessFlags.MW_BIND);
    Region zeroBased =
        keys.register(domain, MEMORY, 0, AccessFlags.MW_BIND | AccessFlags.ZERO_BASED);
    Region foreign = keys.register(new Domain(), MEMORY, VA, AccessFlags.MW_BIND);
    Window window = window(MwType.TYPE_2);
    assertFalse(bind(window, null, VA, 64, READ), "no region");
    assertFalse(bind(window, plain, VA, 64, READ), "no MW_BIND");
    assertFalse(bind(window, readable, VA, 64, WRITE), "no LOCAL_WRITE");
    assertFalse(bind(window, zeroBased, 0, 64, READ), "zero-based region");
    assertFalse(bind(window, foreign, VA, 64, READ), "another domain");
    assertFalse(bind(window, region, VA, 4097, READ), "too long");
    assertFalse(bind(window, region, VA - 1, 2, READ), "too early");
    assertFalse(bind(window, region, -1, 2, READ), "overflow");
    assertFalse(bind(window, region, VA, 64, AccessFlags.LOCAL_WRITE), "a local right");
    assertFalse(bind(window, region, VA, 0, READ), "type 2 of length 0");
    assertFalse(
        window.bind(1, region, VA, 64, READ, new Accessor(new Domain())),
        "the queue pair is of another domain");
    assertFalse(bind(window(MwType.TYPE_1), region, VA, 64, AccessFlags.ZERO_BASED), "type 1");
    assertTrue(bind(window, readable, VA, 64, READ), "and takes what they allow");
    assertFalse(bind(window, region, VA, 64, READ), "type 2 is bound already");
  }

  @Test
  void diesWithItsRegion() {
    Window window = window(MwType.TYPE_1);
    assertTrue(bind(window, region, VA, 64, READ));
    region.revoke();
    assertEquals(-1, locate(window, VA, 1, READ, qp));
  }

  @Test
  void diesWhenItsRegionMovesToAnotherDomain() {
    Window window = window(MwType.TYPE_1);
    assertTrue(bind(window, region, VA, 64, READ));
    region.reregister(new Domain(), region.access());
    assertEquals(-1, locate(window, VA, 1, READ, qp));
  }

  /** Copies of one packet are short; here a long copy stands for slow memory. */
  @Test
  void noCopyThroughAWindowOutlastsTheEndOfItsBinding() throws InterruptedException {
    MemorySegment packet = MemorySegment.ofArray(new long[8 << 20]).fill((byte) 1);
    int bytes = (int) packet.byteSize();
    for (int round = 0; round < 3; round++) {
      try (Arena arena = Arena.ofShared()) {
        MemorySegment memory = arena.allocate(bytes);
        Region large =
            keys.register(domain, memory, VA, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
        Window window = window(MwType.TYPE_1);
        assertTrue(bind(window, large, VA, bytes, WRITE));
        RemoteRange range = new RemoteRange(keys, new Accessor(domain));
        assertTrue(range.set(window.value(), VA, bytes, WRITE));
        Thread other = Thread.ofPlatform().start(() -> range.write(0, packet, 0, bytes));
        while (memory.get(ValueLayout.JAVA_BYTE, 0) == 0) {
          Thread.onSpinWait();
        }
        assertTrue(bind(window, null, 0, 0, 0));
        assertEquals(1, memory.get(ValueLayout.JAVA_BYTE, bytes - 1), "it was still copying");
        other.join();
      }
    }
  }

  @Test
  void everyBindThatIsQueuedDrawsAnotherKeyWhicheverThreadQueuesIt() throws InterruptedException {
    Window window = window(MwType.TYPE_1);
    int each = 10_000_000;
    CountDownLatch both = new CountDownLatch(2);
    Thread other = Thread.ofPlatform().start(() -> drawKeys(window, each, both));
    drawKeys(window, each, both);
    other.join();
    assertEquals(window.value() + 2 * each & 0xff, window.queuedKey() & 0xff);
  }

  private static void drawKeys(Window window, int count, CountDownLatch atOnce) {
    atOnce.countDown();
    while (atOnce.getCount() > 0) {
      Thread.onSpinWait();
    }
    for (int i = 0; i < count; i++) {
      window.nextKey();
    }
  }

  @Test
  void aCopyThatFindsTheBindingGoneDoesNotBegin() {
    Window window = window(MwType.TYPE_1);
    assertTrue(bind(window, region, VA, 64, WRITE));
    Grant grant = window.grant();
    assertTrue(bind(window, region, VA, 64, WRITE));
    assertFalse(grant.beginCopy());
    assertTrue(window.grant().beginCopy());
    window.grant().endCopy();
    assertTrue(bind(window, null, 0, 0, 0), "and none is waited for");
  }

  /** A peer's use of a window: each is a copy that the end of a binding waits for. */
  enum Use {
    READ(range -> range.read(0, MemorySegment.ofArray(new long[1]), 0, 8)),
    WRITE(range -> range.write(0, MemorySegment.ofArray(new long[1]), 0, 8)),
    COMPARE_SWAP(range -> range.compareSwap(0, 1)),
    FETCH_ADD(range -> range.fetchAdd(1)),
    STORE(range -> range.storeFrom(MemorySegment.ofArray(new long[1]), 0)),
    FLUSH(RemoteRange::flush);

    private final Predicate<RemoteRange> copy;

    Use(Predicate<RemoteRange> copy) {
      this.copy = copy;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCopyThatIsDoneIsNotWaitedFor(Use use) {
    Window window = window(MwType.TYPE_1);
    int all = READ | WRITE | AccessFlags.REMOTE_ATOMIC;
    assertTrue(bind(window, region, VA, 64, all));
    RemoteRange range = new RemoteRange(keys, new Accessor(domain));
    assertTrue(range.set(window.value(), VA, 8, all));
    assertTrue(use.copy.test(range));
    assertTimeoutPreemptively(PATIENCE, () -> assertTrue(bind(window, null, 0, 0, 0)));
    assertFalse(use.copy.test(range), "the binding is gone");
  }

  @Test
  void theEndOfABindingWaitsForTheCopyThatHasBegunAndForNoneThatIsRefused() throws Exception {
    Window window = window(MwType.TYPE_1);
    assertTrue(bind(window, region, VA, 64, WRITE));
    Grant grant = window.grant();
    assertTrue(grant.beginCopy());
    Thread unbinds = Thread.ofPlatform().daemon().start(() -> bind(window, null, 0, 0, 0));
    while (window.bound()) {
      Thread.onSpinWait();
    }
    assertFalse(grant.beginCopy());
    assertFalse(unbinds.join(Duration.ofMillis(20)), "the first copy goes on");
    grant.endCopy();
    assertTrue(unbinds.join(PATIENCE));
  }

  @ParameterizedTest
  @EnumSource(MwType.class)
  void tellsItsType(MwType type) {
    assertEquals(type, window(type).type());
  }

  /** The seeded generator repeats a number early; a random one may at any time. */
  @Test
  void typeTwoIsNotBoundToWhateverHasTheNumberOfItsQueuePairLater() {
    Window window = window(MwType.TYPE_2);
    assertTrue(bind(window, region, VA, 64, READ));
    Accessor later = new Accessor(domain);
    assertEquals(-1, locate(window, VA, 1, READ, later));
    assertFalse(keys.invalidate(window.value(), later));
    assertEquals(0, locate(window, VA, 1, READ, qp));
  }

  private static long locate(Window window, long va, long bytes, int right, Accessor asking) {
    Grant grant = window.grant();
    return grant == null ? -1 : grant.locate(va, bytes, right, asking);
  }
}
