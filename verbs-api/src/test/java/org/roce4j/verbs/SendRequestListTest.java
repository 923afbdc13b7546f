package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

class SendRequestListTest {
  @AutoClose private final SendRequestList list = new SendRequestList(3, 2, 16);

  @Test
  void emptyListHasNoAddress() {
    assertEquals(0, list.size());
    assertEquals(3, list.capacity());
    assertEquals(0, list.address());
    assertEquals(-1, list.badIndex());
  }

  @Test
  void requestsAreLinkedInOrder() {
    list.add().add().add();
    long first = list.address();
    assertEquals(list.memory().address(), first);
    assertEquals(first + 128, next(0));
    assertEquals(first + 256, next(1));
    assertEquals(0, next(2));
  }

  @Test
  void claimingZeroesWhatAnEarlierUseLeft() {
    list.add().wrId(-1).opcode(WrOpcode.RDMA_READ).flags(-1).immediate(-1).remote(-1, -1);
    list.sge(1, 1, 1).add();
    list.clear().add();
    MemorySegment request = list.memory().asSlice(0, SendWrLayout.SIZE);
    assertArrayEquals(new byte[SendWrLayout.SIZE], request.toArray(ValueLayout.JAVA_BYTE));
    assertEquals(1, list.size());
  }

  @Test
  void shouldRefuseToClaimBeyondTheCapacity() {
    list.add().add().add();
    refused(Errno.ENOMEM, list::add);
    assertEquals(3, list.size());
  }

  @Test
  void shouldRefuseToSetFieldsOfAnEmptyList() {
    refused(Errno.EINVAL, () -> list.wrId(1));
    refused(Errno.EINVAL, () -> list.sge(0, 0, 0));
    refused(Errno.EINVAL, () -> list.inline(MemorySegment.ofArray(new byte[1])));
    list.add().clear();
    refused(Errno.EINVAL, () -> list.opcode(WrOpcode.SEND));
  }

  @Test
  void shouldRefuseSizesThatMakeNoList() {
    refused(Errno.EINVAL, () -> new SendRequestList(0, 1, 0));
    refused(Errno.EINVAL, () -> new SendRequestList(1, -1, 0));
    refused(Errno.EINVAL, () -> new SendRequestList(1, 1, -1));
  }

  @Test
  void elementsLieBesideEachOtherAndAreCounted() {
    list.add().sge(100, 1, 7).sge(200, -1, 8).add().sge(300, 3, 9);
    assertEquals(2, list.sgeCountAt(0));
    assertEquals(1, list.sgeCountAt(1));
    assertEquals(200, list.sgeAddressAt(0, 1));
    assertEquals(-1, list.sgeLengthAt(0, 1));
    assertEquals(8, list.sgeLkeyAt(0, 1));
    long array = SendWrLayout.sgList(list.memory(), 0) - list.memory().address();
    assertEquals(100, SgeLayout.addr(list.memory(), array));
    assertEquals(200, SgeLayout.addr(list.memory(), array + SgeLayout.SIZE));
    assertEquals(300, list.sgeAddressAt(1, 0));
  }

  @Test
  void shouldRefuseElementsBeyondTheMaximum() {
    list.add().sge(1, 1, 1).sge(2, 2, 2);
    refused(Errno.EINVAL, () -> list.sge(3, 3, 3));
    assertEquals(2, list.sgeCountAt(0));
  }

  @Test
  void elementOfARegionIsNamedByItsIova() {
    MemoryRegion region = region(0x1000, 0x7000, 64, 42);
    list.add().sge(region, 8, 56);
    assertEquals(0x7008, list.sgeAddressAt(0, 0));
    assertEquals(56, list.sgeLengthAt(0, 0));
    assertEquals(42, list.sgeLkeyAt(0, 0));
  }

  @Test
  void shouldRefusePartsOutsideTheRegion() {
    MemoryRegion region = region(0x1000, 0x1000, 64, 42);
    list.add();
    refused(Errno.EINVAL, () -> list.sge(region, 8, 57));
    refused(Errno.EINVAL, () -> list.sge(region, -1, 1));
    refused(Errno.EINVAL, () -> list.sge(region, 0, -1));
    refused(Errno.EINVAL, () -> list.sge(region, Long.MAX_VALUE, 1));
    assertEquals(0, list.sgeCountAt(0));
  }

  @Property
  void inlineDataIsCopied(@ForAll @Size(max = 16) byte[] data) {
    byte[] source = data.clone();
    try (SendRequestList requests = new SendRequestList(2, 0, 16)) {
      requests.add().add().inline(MemorySegment.ofArray(source)).flags(SendFlags.SIGNALED);
      Arrays.fill(source, (byte) 0x55);
      assertEquals(SendFlags.SIGNALED | SendFlags.INLINE, requests.flagsAt(1));
      assertEquals(1, requests.sgeCountAt(1));
      assertEquals(data.length, requests.sgeLengthAt(1, 0));
      long offset = requests.sgeAddressAt(1, 0) - requests.memory().address();
      MemorySegment copy = requests.memory().asSlice(offset, data.length);
      assertArrayEquals(data, copy.toArray(ValueLayout.JAVA_BYTE));
    }
  }

  @Test
  void inlinePiecesFollowEachOther() {
    list.add().inline(MemorySegment.ofArray(new byte[] {1, 2, 3}));
    list.inline(MemorySegment.ofArray(new byte[] {4}));
    assertEquals(2, list.sgeCountAt(0));
    assertEquals(list.sgeAddressAt(0, 0) + 3, list.sgeAddressAt(0, 1));
  }

  @Test
  void shouldRefuseInlineDataBeyondTheMaximum() {
    list.add().inline(MemorySegment.ofArray(new byte[10]));
    refused(Errno.EINVAL, () -> list.inline(MemorySegment.ofArray(new byte[7])));
    list.add();
    refused(Errno.EINVAL, () -> list.inline(MemorySegment.ofArray(new byte[17])));
    assertEquals(0, list.flagsAt(1));
    assertEquals(0, list.sgeCountAt(1));
  }

  /** Otherwise the driver would read the elements of the request as inline data. */
  @Test
  void refusedInlineDataLeaveTheRequestAsItWas() {
    list.add().sge(16, 8, 3).sge(24, 8, 3);
    refused(Errno.EINVAL, () -> list.inline(MemorySegment.ofArray(new byte[1])));
    assertEquals(0, list.flagsAt(0));
  }

  @Test
  void inlineFlagOfOneRequestDoesNotLeakIntoTheNext() {
    list.add().inline(MemorySegment.ofArray(new byte[1])).add().flags(SendFlags.SIGNALED);
    assertEquals(SendFlags.SIGNALED, list.flagsAt(1));
  }

  @Property
  void whatIsSetIsRead(
      @ForAll long wrId,
      @ForAll WrOpcode opcode,
      @ForAll int flags,
      @ForAll int immediate,
      @ForAll long address,
      @ForAll int rkey) {
    try (SendRequestList requests = new SendRequestList(2, 1, 0)) {
      requests.add();
      requests.add().wrId(wrId).opcode(opcode).flags(flags).immediate(immediate);
      requests.remote(address, rkey);
      assertEquals(wrId, requests.wrIdAt(1));
      assertSame(opcode, requests.opcodeAt(1));
      assertEquals(flags, requests.flagsAt(1));
      assertEquals(immediate, requests.immediateAt(1));
      assertEquals(address, requests.remoteAddressAt(1));
      assertEquals(rkey, SendWrLayout.rdmaRkey(requests.memory(), 128));
      assertEquals(0, requests.wrIdAt(0));
    }
  }

  @Test
  void unknownOpcodeKeepsItsNumber() {
    list.add().opcodeValue(13);
    assertNull(list.opcodeAt(0));
    assertEquals(13, list.opcodeValueAt(0));
  }

  @Test
  void atomicFillsItsMembersOfTheUnion() {
    list.add().atomic(8, 1, 2, 3);
    assertEquals(8, SendWrLayout.atomicRemoteAddr(list.memory(), 0));
    assertEquals(1, SendWrLayout.atomicRkey(list.memory(), 0));
    assertEquals(2, SendWrLayout.atomicCompareAdd(list.memory(), 0));
    assertEquals(3, SendWrLayout.atomicSwap(list.memory(), 0));
  }

  @Test
  void datagramBearsTheNativeHandleOfItsAddress() {
    AddressHandle ah = stub(AddressHandle.class, Map.of("nativeHandle", 0xabcdL));
    list.add().ud(ah, 17, 0x11111111);
    assertEquals(0xabcd, SendWrLayout.udAh(list.memory(), 0));
    assertEquals(17, SendWrLayout.udRemoteQpn(list.memory(), 0));
    assertEquals(0x11111111, SendWrLayout.udRemoteQkey(list.memory(), 0));
  }

  @Test
  void bindingBearsTheNativeHandlesOfWindowAndRegion() {
    MemoryWindow window = stub(MemoryWindow.class, Map.of("nativeHandle", 5L));
    MemoryRegion region = stub(MemoryRegion.class, Map.of("nativeHandle", 6L));
    list.add().opcode(WrOpcode.BIND_MW).bindMw(window, 7, region, 8, 9, AccessFlags.REMOTE_READ);
    MemorySegment memory = list.memory();
    assertEquals(5, SendWrLayout.bindMw(memory, 0));
    assertEquals(7, SendWrLayout.bindRkey(memory, 0));
    assertEquals(6, SendWrLayout.bindMr(memory, 0));
    assertEquals(8, SendWrLayout.bindAddr(memory, 0));
    assertEquals(9, SendWrLayout.bindLength(memory, 0));
    assertEquals(AccessFlags.REMOTE_READ, SendWrLayout.bindAccessFlags(memory, 0));
    list.add().bindMw(window, 7, null, 0, 0, 0);
    assertEquals(0, SendWrLayout.bindMr(memory, 128));
  }

  @Test
  void keyToInvalidateAndXrcTargetAreStored() {
    list.add().invalidateRkey(0x12345678).xrc(99);
    assertEquals(0x12345678, list.invalidateRkeyAt(0));
    assertEquals(99, SendWrLayout.xrcRemoteSrqn(list.memory(), 0));
  }

  @Test
  void indicesAreChecked() {
    list.add().sge(1, 1, 1);
    for (Executable access :
        List.<Executable>of(
            () -> list.wrIdAt(1), () -> list.wrIdAt(-1), () -> list.sgeAddressAt(0, 1))) {
      assertThrows(IndexOutOfBoundsException.class, access);
    }
  }

  /** Only an element of a region lies elsewhere for the program than for the device. */
  @Test
  void anElementByAddressStaysWhereItIsWhateverWasThereBefore() {
    MemoryRegion region = region(0x1000, 0x7000, 64, 42);
    list.add().sge(region, 0, 1);
    list.add().sge(0x5000, 1, 2).flags(SendFlags.INLINE);
    assertEquals(0x5000, list.sgeAddressAt(1, 0));
  }

  @Test
  void clearForgetsTheBadRequest() {
    list.add().badIndex(0);
    assertEquals(0, list.badIndex());
    assertEquals(-1, list.clear().badIndex());
  }

  @Test
  void closingFreesOwnMemoryOnce() {
    SendRequestList own = new SendRequestList(1, 1, 0);
    own.close();
    own.close();
    assertFalse(own.memory().scope().isAlive());
  }

  @Test
  void closingLeavesAGivenArenaOpen() {
    try (Arena arena = Arena.ofShared()) {
      SendRequestList borrowed = new SendRequestList(arena, 1, 1, 0);
      borrowed.close();
      assertTrue(borrowed.memory().scope().isAlive());
    }
  }

  private long next(int index) {
    return SendWrLayout.next(list.memory(), index * 128L);
  }

  private static MemoryRegion region(long address, long iova, long length, int lkey) {
    return stub(
        MemoryRegion.class,
        Map.of("address", address, "iova", iova, "length", length, "lkey", lkey));
  }

  private static <T> T stub(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.get(method.getName())));
  }

  /** A region whose address in work requests is not that in memory. */
  private static MemoryRegion shifted() {
    Map<String, Object> answers =
        Map.of("address", 0x5000L, "iova", 0x100L, "length", 64L, "lkey", 9);
    return (MemoryRegion)
        Proxy.newProxyInstance(
            SendRequestListTest.class.getClassLoader(),
            new Class<?>[] {MemoryRegion.class},
            (self, method, args) -> answers.get(method.getName()));
  }

  private static List<Long> addresses(SendRequestList list) {
    MemorySegment wr = list.memory();
    long at = SendWrLayout.sgList(wr, 0) - wr.address();
    return List.of(SgeLayout.addr(wr, at), SgeLayout.addr(wr, at + SgeLayout.SIZE));
  }

  /** Inline data is copied from memory when it is posted, so its addresses are those of memory. */
  @Test
  void inlineElementsHaveTheirAddressInMemoryWheneverTheFlagIsSet() {
    try (SendRequestList list = new SendRequestList(1, 2, 0)) {
      list.add().sge(shifted(), 4, 8).sge(0x77, 8, 1);
      assertEquals(List.of(0x104L, 0x77L), addresses(list));
      for (int i = 0; i < 2; i++) {
        list.flags(SendFlags.INLINE | SendFlags.SIGNALED);
        assertEquals(List.of(0x5004L, 0x77L), addresses(list));
        list.flags(SendFlags.INLINE);
        assertEquals(List.of(0x5004L, 0x77L), addresses(list), "it was inline before");
        list.flags(SendFlags.SIGNALED);
        assertEquals(List.of(0x104L, 0x77L), addresses(list));
      }
      list.clear().add().flags(SendFlags.INLINE).sge(shifted(), 4, 8).sge(shifted(), 0, 4);
      assertEquals(List.of(0x5004L, 0x5000L), addresses(list));
      list.flags(0);
      assertEquals(List.of(0x104L, 0x100L), addresses(list));
      list.clear().add().sge(1, 1, 1).sge(2, 1, 1).flags(SendFlags.INLINE);
      assertEquals(List.of(1L, 2L), addresses(list), "elements of the request before are gone");
    }
  }
}
