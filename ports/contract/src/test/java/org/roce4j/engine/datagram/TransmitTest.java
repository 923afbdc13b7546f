package org.roce4j.engine.datagram;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trains at random, against a list of the sizes of their datagrams. */
class TransmitTest {
  private static final Path ONE = new Path(0, 0, 1, 0, 2, 0, 64);
  private static final Path OTHER = new Path(0, 0, 1, 0, 3, 0, 64);

  private final SplittableRandom random = new SplittableRandom(1);
  private final List<Integer> sizes = new ArrayList<>();
  private final Set<Integer> spoiled = new HashSet<>();
  private Transmit train;
  private int mostSegments;
  private int ceiling;
  private Path path;
  private int hint;

  private int length() {
    return sizes.stream().mapToInt(each -> each).sum();
  }

  private boolean closed() {
    return !sizes.isEmpty() && sizes.getLast() < sizes.getFirst();
  }

  private boolean takes(Path to, int size) {
    return sizes.isEmpty()
        || !closed()
            && to == path
            && size <= sizes.getFirst()
            && sizes.size() < ceiling
            && length() + size <= Transmit.MAX_BYTES;
  }

  private void claim(Path to, int size, int sourcePort) {
    boolean first = sizes.isEmpty();
    int at = train.claim(to, sourcePort, size);
    assertEquals(takes(to, size) ? length() : -1, at);
    if (at < 0) {
      return;
    }
    path = to;
    hint = first ? sourcePort : hint;
    train.commit(size);
    sizes.add(size);
  }

  private void look() {
    int first = sizes.isEmpty() ? 0 : sizes.getFirst();
    assertEquals(sizes.size(), train.segments());
    assertEquals(length(), train.length());
    assertEquals(first, train.segmentSize());
    assertEquals(sizes.isEmpty(), train.isEmpty());
    assertSame(path, train.path());
    boolean long0 = !sizes.isEmpty() && length() + first > Transmit.MAX_BYTES;
    assertEquals(closed() || sizes.size() == mostSegments || long0, train.full());
    int fit = sizes.isEmpty() ? mostSegments : Transmit.MAX_BYTES / first;
    assertEquals(Math.min(mostSegments, fit), train.capacity());
    for (int i = 0; i < sizes.size(); i++) {
      assertEquals(sizes.get(i), train.sizeOf(i));
      assertEquals(spoiled.contains(i), train.spoiled(i));
    }
    if (!sizes.isEmpty()) {
      assertEquals(hint, train.sourcePortHint());
    }
  }

  private void clear() {
    train.sentFrom(0x8000);
    assertEquals(0x8000, train.sourcePort());
    train.clear();
    assertEquals(0, train.sourcePort());
    sizes.clear();
    spoiled.clear();
    path = null;
    ceiling = mostSegments;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 64, 100})
  void isAListOfDatagramsOfOneSize(int most) {
    train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), most);
    mostSegments = Math.min(most, Transmit.MAX_SEGMENTS);
    ceiling = mostSegments;
    look();
    for (int i = 0; i < 20_000; i++) {
      int first = sizes.isEmpty() ? 100 << random.nextInt(7) : sizes.getFirst();
      switch (random.nextInt(40)) {
        case 0 -> clear();
        case 1 -> {
          int more = random.nextInt(4);
          train.allow(more);
          ceiling = Math.min(mostSegments, sizes.size() + more);
        }
        case 2 -> claim(OTHER, first, i);
        case 3 -> claim(ONE, first - 1, i);
        case 4 -> claim(ONE, first + 1, i);
        case 5 -> {
          if (!sizes.isEmpty()) {
            int index = random.nextInt(sizes.size());
            train.spoil(index);
            spoiled.add(index);
          }
        }
        default -> claim(ONE, first, i);
      }
      look();
    }
  }

  /** 13 times 5039 bytes are the greatest payload of a datagram. */
  @Test
  void aTrainIsFullWithTheLastByteThatADatagramHolds() {
    train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);
    for (int i = 0; i < 13; i++) {
      assertFalse(train.full());
      assertEquals(i * 5039, train.claim(ONE, 0, 5039));
      train.commit(5039);
    }
    assertEquals(Transmit.MAX_BYTES, train.length());
    assertTrue(train.full());
  }

  /** The most that a UDP datagram over IPv4 carries. */
  @Test
  void aTrainHasAtMostSixtyFiveThousandFiveHundredAndSevenBytes() {
    for (int second : new int[] {32_753, 32_754}) {
      Transmit two = new Transmit(ByteBuffer.allocateDirect(65_507), 64);
      assertFalse(two.full());
      two.claim(ONE, 0, 32_754);
      two.commit(32_754);
      assertTrue(two.full(), "two of this size do not fit");
      assertEquals(1, two.capacity());
      assertEquals(second == 32_753 ? 32_754 : -1, two.claim(ONE, 0, second));
    }
  }
}
