package org.roce4j.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.WcLayout;

/** The oracle of receive completions, given completions that no engine would produce. */
class ReceiverTest {
  private static final int DEPTH = 4;
  private static final int LENGTH = 64;

  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final Arena arena = Arena.ofShared();
  private final ProtectionDomain pd =
      network.device(DeviceOptions.of("test", Gid.parse("10.0.0.1"))).open().allocPd();
  private final ModelledMemory memory =
      new ModelledMemory(arena, "test", 1 << 14, 1, new SplittableRandom(1));
  private final Zone zone = memory.zone("receives", 1 << 14);
  private final MemoryRegion region =
      pd.registerMemory(memory.segment(zone), AccessFlags.LOCAL_WRITE);
  private final List<Long> posted = new ArrayList<>();
  private final List<Long> addresses = new ArrayList<>();
  private final WorkCompletions completion = new WorkCompletions(arena, 1);
  private boolean inError;

  private ReliableReceiver receiver(boolean shared) {
    World world =
        new World(
            SimulationOptions.parse("seed=1 late=0 sges=1"),
            arena,
            network.fabric(),
            new SplittableRandom(2));
    ReceivePool pool =
        new ReceivePool(
            world,
            shared,
            DEPTH,
            zone,
            region,
            LENGTH,
            new SplittableRandom(3),
            this::note,
            n -> LENGTH);
    ReliableReceiver receiver = new ReliableReceiver("test", () -> inError, pool, null);
    receiver.start();
    world.agenda.keep();
    return receiver;
  }

  private int note(RecvRequestList list) {
    for (int i = 0; i < list.size(); i++) {
      posted.add(list.wrIdAt(i));
      addresses.add(list.sgeAddressAt(i, 0));
    }
    return 0;
  }

  private void completes(Receiver receiver, WcStatus status) {
    WcLayout.wrId(completion.memory(), 0, posted.removeFirst());
    WcLayout.status(completion.memory(), 0, status.value());
    receiver.completed(completion, 0);
  }

  private void says(WcOpcode opcode, int bytes, int flags, int immediate) {
    WcLayout.opcode(completion.memory(), 0, opcode.value());
    WcLayout.byteLen(completion.memory(), 0, bytes);
    WcLayout.wcFlags(completion.memory(), 0, flags);
    WcLayout.immData(completion.memory(), 0, Integer.reverseBytes(immediate));
  }

  private static void breaks(OracleRule rule, Executable what) {
    assertEquals(rule, assertThrows(RuleBroken.class, what).rule());
  }

  private static PostedSend message(WrOpcode opcode, Arena arena) {
    PostedSend message = new PostedSend(1, opcode, true, arena.allocate(LENGTH));
    message.immediate = 7;
    return message;
  }

  @Test
  void nothingIsReceivedThatNobodySent() {
    ReliableReceiver receiver = receiver(false);
    breaks(OracleRule.RECEIVED_IN_ORDER, () -> completes(receiver, WcStatus.SUCCESS));
  }

  /** Each row differs from the message that was sent in one field. */
  @ParameterizedTest
  @CsvSource({
    "SEND, RECV, 63, 0, 0",
    "SEND, RECV, 64, WITH_IMM, 0",
    "SEND, RECV_RDMA_WITH_IMM, 64, 0, 0",
    "SEND_WITH_IMM, RECV, 64, 0, 7",
    "SEND_WITH_IMM, RECV, 64, WITH_IMM, 8",
    "RDMA_WRITE_WITH_IMM, RECV, 64, WITH_IMM, 7",
    "RDMA_WRITE_WITH_IMM, RECV_RDMA_WITH_IMM, 64, WITH_IMM, 6",
  })
  void whatIsReceivedIsWhatWasSent(
      WrOpcode sent, WcOpcode opcode, int bytes, String flags, int immediate) {
    ReliableReceiver receiver = receiver(false);
    receiver.expect(message(sent, arena));
    says(opcode, bytes, flags.equals("0") ? 0 : WcFlags.WITH_IMM, immediate);
    breaks(OracleRule.RECEIVED_IN_ORDER, () -> completes(receiver, WcStatus.SUCCESS));
  }

  @Test
  void onlyWhatIsInErrorFlushesAndNothingElseFails() {
    breaks(OracleRule.RIGHT_STATUS, () -> completes(receiver(false), WcStatus.WR_FLUSH_ERR));
    posted.clear();
    inError = true;
    breaks(OracleRule.RIGHT_STATUS, () -> completes(receiver(false), WcStatus.LOC_LEN_ERR));
  }

  @Test
  void nothingIsReceivedAfterAFlush() {
    ReliableReceiver receiver = receiver(false);
    receiver.expect(message(WrOpcode.SEND, arena));
    inError = true;
    completes(receiver, WcStatus.WR_FLUSH_ERR);
    says(WcOpcode.RECV, LENGTH, 0, 0);
    breaks(OracleRule.FLUSHED_IN_ORDER, () -> completes(receiver, WcStatus.SUCCESS));
  }

  /** All requests of an own queue are flushed; of a shared queue only the held request. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void allOfAnOwnQueueIsFlushedAndOneOfASharedOne(boolean shared) {
    ReliableReceiver receiver = receiver(shared);
    inError = true;
    completes(receiver, WcStatus.WR_FLUSH_ERR);
    if (shared) {
      breaks(OracleRule.FLUSHED_IN_ORDER, () -> completes(receiver, WcStatus.WR_FLUSH_ERR));
      return;
    }
    for (int i = 1; i < DEPTH; i++) {
      breaks(OracleRule.FLUSHED_IN_ORDER, receiver::checkFlushed);
      completes(receiver, WcStatus.WR_FLUSH_ERR);
    }
    assertDoesNotThrow(receiver::checkFlushed);
  }

  /** With a reliable connection, only the first request may contain a part of a message. */
  @ParameterizedTest(
      name = "a message was sent: {0}, the receive that holds a byte: {1}, legal: {2}")
  @CsvSource({"false, 0, false", "false, 1, false", "true, 0, true", "true, 1, false"})
  void aFlushedReceiveHoldsNothingButAPartOfAMessage(boolean sent, int receive, boolean legal) {
    ReliableReceiver receiver = receiver(false);
    MemorySegment message = arena.allocate(LENGTH).fill((byte) 0x5a);
    if (sent) {
      receiver.expect(new PostedSend(1, WrOpcode.SEND, true, message));
    }
    MemorySegment.ofAddress(addresses.get(receive)).reinterpret(1).set(JAVA_BYTE, 0, (byte) 0x5a);
    inError = true;
    for (int before = 0; before < receive; before++) {
      completes(receiver, WcStatus.WR_FLUSH_ERR);
    }
    Executable flush = () -> completes(receiver, WcStatus.WR_FLUSH_ERR);
    if (legal) {
      assertDoesNotThrow(flush);
    } else {
      breaks(OracleRule.MEMORY_UNTOUCHED, flush);
    }
  }
}
