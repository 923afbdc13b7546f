package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;

/** Which receive request may complete next, and when the limit of a shared queue is due. */
class ReceivePoolTest {
  private static final int DEPTH = 16;

  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final Arena arena = Arena.ofShared();
  private final List<Long> posted = new ArrayList<>();
  private World world;
  private ModelledMemory memory;
  private SharedReceiveQueue srq;
  private MemoryRegion region;
  private Zone zone;

  @BeforeEach
  void opens() {
    Context context = network.device(DeviceOptions.of("test", Gid.parse("10.0.0.1"))).open();
    ProtectionDomain pd = context.allocPd();
    memory = new ModelledMemory(arena, "test", 1 << 16, 1, new SplittableRandom(1));
    zone = memory.zone("receives", 1 << 16);
    region = pd.registerMemory(memory.segment(zone), AccessFlags.LOCAL_WRITE);
    srq = pd.createSrq(new SrqInitAttr(DEPTH, 4));
  }

  private ReceivePool pool(boolean shared, String more) {
    SimulationOptions options = SimulationOptions.parse("seed=1 late=0 " + more);
    world = new World(options, arena, network.fabric(), new SplittableRandom(2));
    ReceivePool pool =
        new ReceivePool(
            world, shared, DEPTH, zone, region, 64, new SplittableRandom(3), this::note, n -> 64);
    pool.replenish();
    world.agenda.keep();
    return pool;
  }

  private int note(RecvRequestList list) {
    for (int i = 0; i < list.size(); i++) {
      posted.add(list.wrIdAt(i));
    }
    return 0;
  }

  private static void breaks(OracleRule rule, Executable what) {
    assertEquals(rule, assertThrows(RuleBroken.class, what).rule());
  }

  @Test
  void ofOneQueuePairTheOldestCompletes() {
    ReceivePool pool = pool(false, "");
    assertDoesNotThrow(() -> pool.completed("end", posted.get(0)));
    breaks(OracleRule.COMPLETED_ONCE_IN_ORDER, () -> pool.completed("end", posted.get(2)));
  }

  @Test
  void nothingCompletesThatIsNotPosted() {
    for (boolean shared : new boolean[] {false, true}) {
      ReceivePool pool = pool(shared, "");
      breaks(OracleRule.COMPLETED_ONCE_IN_ORDER, () -> pool.completed("end", 1));
    }
  }

  /** Each queue pair may hold an older request. */
  @Test
  void ofSeveralQueuePairsAsManyOlderOnesAreLeftAsThereAre() {
    ReceivePool pool = pool(true, "connections=1 datagrams=0 split-cqs=0 engines=1");
    int ends = world.options.ends();
    assertTrue(ends + 1 < DEPTH, "ends: " + ends);
    assertDoesNotThrow(() -> pool.completed("end", posted.get(ends)));
    breaks(OracleRule.COMPLETED_ONCE_IN_ORDER, () -> pool.completed("end", posted.get(ends + 2)));
  }

  @Test
  void aRequestIsFreeThatNoMessageClaims() {
    ReceivePool pool = pool(false, "");
    pool.claim(DEPTH - 1);
    assertTrue(pool.surelyFree());
    pool.claim(1);
    assertFalse(pool.surelyFree());
    pool.claim(-1);
    assertTrue(pool.surelyFree());
    assertFalse(pool(true, "").surelyFree(), "others take from a shared one");
  }

  @Test
  void whatWasNeverTakenIsUntouched() {
    ReceivePool pool = pool(false, "");
    assertDoesNotThrow(pool::checkUntouched);
    memory.segment(zone).fill((byte) 7);
    breaks(OracleRule.BYTES_WHOLE, pool::checkUntouched);
  }

  /**
   * The event is due when the remaining requests are fewer than the limit; only requests posted
   * before the arming are certain.
   */
  @ParameterizedTest
  @CsvSource({"1", "5", "15"})
  void theLimitOfASharedQueueIsToldOnce(int most) {
    ReceivePool pool = pool(true, "");
    LimitWatch watch = new LimitWatch(world, "end", srq, pool, most, new SplittableRandom(most));
    breaks(OracleRule.LIMIT_ONCE, watch::reached);
    watch.arm();
    for (long each : List.copyOf(posted)) {
      pool.completed("end", each);
      watch.completed();
    }
    assertEquals(0, pool.posted());
    breaks(OracleRule.LIMIT_ONCE, watch::completed);
    assertDoesNotThrow(watch::reached);
    assertDoesNotThrow(watch::completed);
    breaks(OracleRule.LIMIT_ONCE, watch::reached);
  }
}
