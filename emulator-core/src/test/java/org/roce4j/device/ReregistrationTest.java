package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.roce4j.engine.memory.Domain;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.ReregError;
import org.roce4j.verbs.ReregistrationException;
import org.roce4j.verbs.VerbsException;

/** {@code ibv_rereg_mr}: the fields that change and the fields that stay. */
class ReregistrationTest {
  private static final int WRITABLE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;

  @AutoClose private final Rig rig = new Rig();
  private final ProtectionDomain from = rig.context.allocPd();
  private final ProtectionDomain to = rig.context.allocPd();
  private final MemoryRegion region = from.registerMemory(rig.memory, 0);

  private static Errno refused(Executable verb) {
    return assertThrows(VerbsException.class, verb).errno();
  }

  private Domain domainBeneath() {
    return ((EmulatedMemoryRegion) region).region().domain();
  }

  @Test
  @Tag("ibv_rereg_mr")
  void aRegionLeavesItsDomainAndJoinsTheNewOne() {
    region.reregister(to, -1);
    assertSame(to, region.pd());
    assertSame(((EmulatedProtectionDomain) to).domain, domainBeneath());
    assertDoesNotThrow(from::close);
    assertEquals(Errno.EBUSY, refused(to::close));
    region.close();
    assertDoesNotThrow(to::close);
  }

  @Test
  @Tag("ibv_rereg_mr")
  void aRegionThatMovesIsWhereTheNewMemoryIs() {
    MemorySegment other = rig.arena.allocate(64, 8);
    region.reregister(other, null, WRITABLE);
    assertSame(other, region.memory());
    assertEquals(other.address(), region.iova());
    assertEquals(64, region.length());
    assertEquals(WRITABLE, region.accessFlags());
    assertEquals(other.address(), ((EmulatedMemoryRegion) region).region().iova());
  }

  /** Domain, memory and rights, each changed alone. */
  @Test
  void whatIsNotChangedIsAsItWasChangedLast() {
    MemorySegment other = rig.arena.allocate(64, 8);
    region.reregister(null, WRITABLE);
    region.reregister(to, -1);
    assertEquals(WRITABLE, region.accessFlags());
    region.reregister(other, null, -1);
    assertEquals(WRITABLE, region.accessFlags());
    assertSame(to, region.pd());
    assertSame(((EmulatedProtectionDomain) to).domain, domainBeneath());
    region.reregister(from, AccessFlags.LOCAL_WRITE);
    assertSame(other, region.memory());
    assertEquals(other.address(), region.iova());
    assertEquals(64, region.length());
    region.reregister(rig.memory, to, -1);
    assertEquals(AccessFlags.LOCAL_WRITE, region.accessFlags());
  }

  @Test
  void aRefusalSaysThatTheOldRegionIsValid() {
    MemorySegment heap = MemorySegment.ofArray(new byte[64]);
    MemorySegment none = rig.arena.allocate(0);
    MemoryRegion zeroBased = from.registerMemory(rig.memory, AccessFlags.ZERO_BASED);
    for (Executable wrong :
        List.<Executable>of(
            () -> region.reregister(null, -1),
            () -> region.reregister(heap, null, -1),
            () -> region.reregister(none, null, -1),
            () -> region.reregister(rig.memory, null, AccessFlags.REMOTE_WRITE),
            () -> zeroBased.reregister(rig.arena.allocate(64), null, -1),
            () -> zeroBased.reregister(rig.arena.allocate(64), null, AccessFlags.LOCAL_WRITE))) {
      ReregistrationException e = assertThrows(ReregistrationException.class, wrong);
      assertEquals(Errno.EINVAL, e.errno());
      assertEquals(ReregError.Valid.OLD, e.error().valid());
    }
    assertSame(rig.memory, region.memory());
    assertEquals(0, region.accessFlags());
  }

  @Test
  void aRegionThatStaysInItsDomainIsAMemberOnce() {
    region.reregister(from, -1);
    region.reregister(null, WRITABLE);
    assertEquals(Errno.EBUSY, refused(from::close));
    region.close();
    assertDoesNotThrow(from::close);
  }

  @Test
  void aDomainThatIsGoneIsNotJoined() {
    to.close();
    assertEquals(Errno.EINVAL, refused(() -> region.reregister(to, WRITABLE)));
    assertSame(from, region.pd());
    assertSame(((EmulatedProtectionDomain) from).domain, domainBeneath());
    assertEquals(0, region.accessFlags());
    assertEquals(Errno.EBUSY, refused(from::close));
  }

  @Test
  void aZeroBasedRegionStaysZeroBased() {
    MemoryRegion zeroBased = from.registerMemory(rig.memory, AccessFlags.ZERO_BASED);
    zeroBased.reregister(null, WRITABLE);
    assertEquals(WRITABLE | AccessFlags.ZERO_BASED, zeroBased.accessFlags());
    assertEquals(0, zeroBased.iova());
    zeroBased.reregister(to, AccessFlags.LOCAL_WRITE | AccessFlags.ZERO_BASED);
    assertEquals(AccessFlags.LOCAL_WRITE | AccessFlags.ZERO_BASED, zeroBased.accessFlags());
  }

  @Test
  void aRegionThatIsNotZeroBasedDoesNotBecomeSo() {
    assertEquals(
        Errno.EINVAL, refused(() -> region.reregister(null, WRITABLE | AccessFlags.ZERO_BASED)));
    assertEquals(0, region.accessFlags());
    assertEquals(region.address(), region.iova());
  }

  @Test
  void aRegionWithoutMemoryOfTheProgramStaysAsItIs() {
    int access = AccessFlags.ZERO_BASED | AccessFlags.LOCAL_WRITE;
    DeviceMemory ofDevice = rig.context.allocDm(64, 0);
    MemoryRegion onDevice = from.registerDeviceMemory(ofDevice, 0, 64, access);
    MemoryRegion nothing = from.allocNullMr();
    for (MemoryRegion each : List.of(onDevice, nothing)) {
      int before = each.accessFlags();
      assertEquals(Errno.EINVAL, refused(() -> each.reregister(to, -1)));
      assertEquals(Errno.EINVAL, refused(() -> each.reregister(null, AccessFlags.ZERO_BASED)));
      assertEquals(Errno.EINVAL, refused(() -> each.reregister(rig.memory, null, -1)));
      assertSame(from, each.pd());
      assertEquals(before, each.accessFlags());
    }
  }
}
