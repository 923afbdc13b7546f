package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.IcrcVerdict;

/** The observers that are told of a datagram, and the properties of it that the digest covers. */
class JournalTest {
  private static final int LENGTH = 45; // not a multiple of 8

  private static FabricDatagram datagram() {
    FabricDatagram datagram = new FabricDatagram(Arena.ofAuto().allocate(256), 0);
    datagram.length = LENGTH;
    return datagram;
  }

  private static long digest(DropReason reason, Consumer<FabricDatagram> change) {
    return digest(1, reason, change);
  }

  private static long digest(long nowNs, DropReason reason, Consumer<FabricDatagram> change) {
    FabricDatagram datagram = datagram();
    change.accept(datagram);
    Journal journal = new Journal();
    journal.dropped(nowNs, datagram, reason);
    return journal.digest();
  }

  @Test
  void whoListensNoMoreIsNotToldAndTheOthersAre() {
    List<String> told = new ArrayList<>();
    Journal journal = new Journal();
    List<FabricObserver> observers = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      FabricObserver observer =
          new FabricObserver() {
            @Override
            public void sent(long nowNs, FabricDatagram datagram) {
              told.add(name);
            }
          };
      observers.add(observer);
      journal.tap(observer);
    }
    journal.untap(observers.get(1));
    journal.sent(1, datagram());
    assertEquals(List.of("a", "c"), told);
  }

  @Test
  void whatIsLostAndWhyAndEachByteAndFieldOfItMakesTheDigest() {
    Set<Long> digests = new HashSet<>();
    digests.add(new Journal().digest());
    for (DropReason reason : DropReason.values()) {
      digests.add(digest(reason, datagram -> {}));
    }
    int changes = 1 + DropReason.values().length;
    for (int i = 0; i < LENGTH; i++, changes++) {
      int at = FabricDatagram.AT + i;
      digests.add(digest(DropReason.FILTERED, d -> d.buffer.put(at, (byte) 1)));
    }
    List<Consumer<FabricDatagram>> fields =
        List.of(
            d -> d.length--,
            d -> d.length -= 7, // as many words and single bytes
            d -> d.sourceHigh++,
            d -> d.sourceLow++,
            d -> d.destinationHigh++,
            d -> d.destinationLow++,
            d -> d.sourcePort++,
            d -> d.identification++,
            d -> d.trafficClass++,
            d -> d.hopLimit++);
    for (Consumer<FabricDatagram> field : fields) {
      digests.add(digest(DropReason.FILTERED, field));
      changes++;
    }
    assertEquals(changes, digests.size());
    assertEquals(digest(DropReason.FILTERED, d -> {}), digest(DropReason.FILTERED, d -> {}));
  }

  @Test
  void theTimeOfAnEventMakesTheDigest() {
    long digest = digest(1, DropReason.FILTERED, d -> {});
    assertNotEquals(digest, digest(2, DropReason.FILTERED, d -> {}));
    assertNotEquals(digest, digest(1L << 32 | 1, DropReason.FILTERED, d -> {}));
  }

  /** A datagram too short for an ICRC has a wrong one; without ICRCs the ICRC's bytes are zero. */
  @Test
  void aSealIsThatOfTheBytesOrZero() {
    for (boolean compute : new boolean[] {true, false}) {
      DatagramSeal seal = new DatagramSeal(compute);
      for (int length = 0; length < 64; length++) {
        FabricDatagram datagram = datagram();
        datagram.length = length;
        datagram.buffer.putInt(FabricDatagram.AT + Math.max(0, length - 4), -1);
        seal.seal(datagram);
        int sealed = datagram.buffer.getInt(FabricDatagram.AT + Math.max(0, length - 4));
        if (length < 16) {
          assertEquals(-1, sealed);
          assertEquals(IcrcVerdict.WRONG, seal.judge(datagram));
        } else if (compute) {
          assertNotEquals(-1, sealed);
          assertEquals(IcrcVerdict.RIGHT, seal.judge(datagram));
        } else {
          assertEquals(0, sealed);
          assertEquals(IcrcVerdict.UNCHECKED, seal.judge(datagram));
        }
      }
    }
  }

  @Test
  void theDigestCoversWhatIsDelivered() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      FabricTest.drain(fabric);
      long before = fabric.digest();
      a.send(b.gid(), 0, 1, 100);
      assertEquals(before, fabric.digest());
      FabricTest.drain(fabric);
      assertNotEquals(before, fabric.digest());
    }
  }
}
