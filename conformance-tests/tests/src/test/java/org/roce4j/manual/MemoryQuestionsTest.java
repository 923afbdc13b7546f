package org.roce4j.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.manual.AnswerSteps.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.Limit;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Chapters 5.5 and 6.3: protection domains and memory regions. */
@DisplayName("Protection domains and memory")
@EmulatedRdma
@Timeout(60)
class MemoryQuestionsTest {
  private AnswerSteps.Ends ends;
  private RdmaEnd near;
  private RdmaEnd far;
  private Arena arena;

  @BeforeEach
  void open(Context a, Context b) {
    arena = Arena.ofShared();
    ends = AnswerSteps.Ends.of(a, b, QpType.RC);
    near = ends.near();
    far = ends.far();
  }

  @AfterEach
  void close() {
    near.context().close();
    far.context().close();
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  private WcStatus status(SendRequestList request) {
    near.qp().postSendOrThrow(request);
    return near.next().status();
  }

  private SendRequestList write(int rkey, long address) {
    return near.request(1, WrOpcode.RDMA_WRITE, 0, 8).remote(address, rkey);
  }

  @DisplayName("What is a PD good for? (objects of two of them do not work together)")
  @Test
  void domains() {
    MemoryRegion other =
        near.context().allocPd().registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE);
    assertEquals(
        WcStatus.LOC_PROT_ERR,
        status(near.request(1, WrOpcode.SEND, 0, 0).sge(other.address(), 8, other.lkey())));
  }

  @DisplayName("Can I destroy a PD and all that is in it by one call? (no)")
  @Test
  void domainInUse() {
    ProtectionDomain pd = near.context().allocPd();
    MemoryRegion region = pd.registerMemory(arena.allocate(64), 0);
    refused(Errno.EBUSY, pd::close);
    region.close();
    pd.close();
  }

  @DisplayName("ibv_dealloc_pd() failed: can I know because of what? (no; it says what kind)")
  @Test
  void domainInUseBy() {
    ProtectionDomain pd = near.context().allocPd();
    pd.registerMemory(arena.allocate(64), 0);
    String message = refused(Errno.EBUSY, pd::close);
    assertTrue(message.contains("1 memory region"), message);
  }

  @DisplayName("What is an MR good for? (memory for local and remote access)")
  @Test
  void region() {
    near.memory().set(ValueLayout.JAVA_LONG, 0, 0x1234_5678L);
    assertEquals(WcStatus.SUCCESS, status(write(far.region().rkey(), far.region().address() + 8)));
    assertEquals(0x1234_5678L, far.memory().get(ValueLayout.JAVA_LONG, 8));
  }

  @DisplayName("May I register the same memory several times?")
  @Test
  void twice() {
    MemorySegment memory = arena.allocate(4096);
    MemoryRegion readable = far.pd().registerMemory(memory, AccessFlags.REMOTE_READ);
    MemoryRegion writable =
        far.pd().registerMemory(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    MemoryRegion part = far.pd().registerMemory(memory.asSlice(100, 50), 0);
    assertNotEquals(readable.rkey(), writable.rkey());
    assertEquals(50, part.length());
    assertEquals(WcStatus.SUCCESS, status(write(writable.rkey(), memory.address())));
    assertEquals(WcStatus.REM_ACCESS_ERR, status(write(readable.rkey(), memory.address())));
  }

  @DisplayName("How much memory can be registered in all? (no call tells; each region has a limit)")
  @Test
  void total() {
    long most = near.context().queryDevice().maxMrSize();
    assertTrue(most == -1 || most > Integer.MAX_VALUE, () -> "" + most);
  }

  @DisplayName("Can the device use memory with more rights than the program has? (no)")
  @Test
  void rights() {
    MemorySegment memory = arena.allocate(64).asReadOnly();
    near.pd().registerMemory(memory, 0).close();
    refused(Errno.EFAULT, () -> near.pd().registerMemory(memory, AccessFlags.LOCAL_WRITE));
  }

  @DisplayName("Can memory be used that is not registered? (inline data)")
  @Test
  void unregistered() {
    far.postReceive(1, 4096, 64);
    try (SendRequestList list = new SendRequestList(1, 1, 8)) {
      list.add().opcode(WrOpcode.SEND).inline(MemorySegment.ofArray(new byte[] {4, 5, 6}));
      near.qp().postSendOrThrow(list);
    }
    assertEquals(3, far.next().succeeded().bytes());
    assertEquals(5, far.memory().get(ValueLayout.JAVA_BYTE, 4097));
  }

  @DisplayName("ibv_reg_mr() failed: why? (bad attributes, or no resources)")
  @Test
  void failed() {
    MemorySegment memory = arena.allocate(64);
    refused(Errno.EINVAL, () -> near.pd().registerMemory(memory, AccessFlags.REMOTE_WRITE));
    refused(Errno.EINVAL, () -> near.pd().registerMemory(memory, 1 << 19));
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1));
        Context small =
            devices
                .device(devices.options("small", Gid.parse("10.0.0.9")).withLimit(Limit.MAX_MR, 1))
                .open()) {
      ProtectionDomain pd = small.allocPd();
      pd.registerMemory(memory, 0);
      refused(Errno.ENOMEM, () -> pd.registerMemory(memory, 0));
    }
  }

  @DisplayName("May a process register several MRs?")
  @Test
  void several() {
    Set<Integer> keys = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      keys.add(near.pd().registerMemory(arena.allocate(64), 0).lkey());
    }
    assertEquals(100, keys.size());
  }

  @DisplayName("The memory is freed before its MR: what happens? (here an error, not a crash)")
  @Test
  void freed() {
    MemoryRegion region = near.pd().registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE);
    arena.close();
    assertEquals(
        WcStatus.LOC_PROT_ERR,
        status(near.request(1, WrOpcode.SEND, 0, 0).sge(region.iova(), 8, region.lkey())));
  }

  @DisplayName("A key is used after its MR is gone: what happens? (completions with an error)")
  @Test
  void gone() {
    MemoryRegion there = far.pd().registerMemory(arena.allocate(64), RdmaEnd.ALL_RIGHTS);
    long address = there.address();
    int rkey = there.rkey();
    there.close();
    assertEquals(WcStatus.REM_ACCESS_ERR, status(write(rkey, address)));
  }

  @DisplayName("A local key is used after its MR is gone: what happens?")
  @Test
  void goneHere() {
    MemoryRegion here = near.pd().registerMemory(arena.allocate(64), 0);
    long address = here.address();
    int lkey = here.lkey();
    here.close();
    assertEquals(
        WcStatus.LOC_PROT_ERR, status(near.request(1, WrOpcode.SEND, 0, 0).sge(address, 8, lkey)));
  }

  @DisplayName("ibv_dereg_mr() failed: can I know because of which MW? (no; it says what kind)")
  @Test
  void window() {
    MemoryRegion bound =
        near.pd().registerMemory(arena.allocate(64), RdmaEnd.ALL_RIGHTS | AccessFlags.MW_BIND);
    MemoryWindow window = near.pd().allocMemoryWindow(MwType.TYPE_1);
    near.qp()
        .bindMemoryWindow(
            window, 1, SendFlags.SIGNALED, bound, bound.address(), 64, AccessFlags.REMOTE_READ);
    near.next().succeeded();
    String message = refused(Errno.EBUSY, bound::close);
    assertTrue(message.contains("window"), message);
    window.close();
    bound.close();
  }
}
