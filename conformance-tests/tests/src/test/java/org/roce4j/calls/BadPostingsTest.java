package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.Link;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/** The helpers of rdma_verbs.h with bad memory, regions and ids; nothing is posted then. */
class BadPostingsTest extends PlayedCalls {
  private static final int SIZE = 64;
  private static final int SIGNALED = SendFlags.SIGNALED;

  private final Arena arena = Arena.ofShared();
  private final Backend backend = backend();
  private final Link link = backend.open();
  private final RdmaCm cm = RdmaCm.open(link.near());
  private final CmId id = cm.createId(PortSpace.TCP);
  private final MemorySegment memory = arena.allocate(SIZE);
  private final MemoryRegion region;

  BadPostingsTest() {
    id.bindAddr(new InetSocketAddress(link.nearAddress().toInetAddress(), 0));
    region = RdmaVerbs.regWrite(id, memory);
    id.createQp(null, new QpInitAttr().cap(new QpCapabilities(4, 4, 2, 2, SIZE)));
    AhAttr itself = AhAttr.roce(link.nearAddress(), 0);
    id.qp().modify(LiveObjects.toInit().qpAccessFlags(AccessFlags.REMOTE_WRITE));
    QpBringUp.toRts(id.qp(), LiveObjects.attributes(itself, id.qp().qpNum()));
  }

  @AfterEach
  void close() {
    region.close();
    cm.close();
    link.close();
    backend.close();
    arena.close();
  }

  /** A way to post one buffer. */
  private enum Way {
    SEND {
      @Override
      void post(CmId id, MemorySegment buffer, MemoryRegion mr, int flags) {
        RdmaVerbs.postSend(id, 1, buffer, mr, flags);
      }
    },
    WRITE {
      @Override
      void post(CmId id, MemorySegment buffer, MemoryRegion mr, int flags) {
        RdmaVerbs.postWrite(id, 1, buffer, mr, flags, 0, 0);
      }
    },
    READ {
      @Override
      void post(CmId id, MemorySegment buffer, MemoryRegion mr, int flags) {
        RdmaVerbs.postRead(id, 1, buffer, mr, flags, 0, 0);
      }
    },
    UD_SEND {
      @Override
      void post(CmId id, MemorySegment buffer, MemoryRegion mr, int flags) {
        try (var ah = id.pd().createAh(AhAttr.roce(id.verbs().queryGid(1, 0), 0))) {
          RdmaVerbs.postUdSend(id, 1, buffer, mr, flags, ah, 1);
        }
      }
    },
    RECEIVE {
      @Override
      void post(CmId id, MemorySegment buffer, MemoryRegion mr, int flags) {
        RdmaVerbs.postRecv(id, 1, buffer, mr);
      }
    };

    abstract void post(CmId id, MemorySegment buffer, MemoryRegion mr, int flags);

    boolean takesInline() {
      return this == SEND || this == WRITE || this == UD_SEND;
    }
  }

  private static MemorySegment freed() {
    try (Arena closed = Arena.ofShared()) {
      return closed.allocate(SIZE);
    }
  }

  /** A bad buffer, with the errno and a word of the refusal. */
  private enum Buffer {
    MISSING(null, Errno.EINVAL, "buffer is missing"),
    ON_THE_HEAP(MemorySegment.ofArray(new byte[SIZE]), Errno.EINVAL, "on the heap"),
    FREED(freed(), Errno.EFAULT, "was freed"),
    TOO_LONG(MemorySegment.NULL.reinterpret(1L << 31), Errno.EINVAL, "at most 2147483647 bytes");

    private final MemorySegment memory;
    private final Errno errno;
    private final String word;

    Buffer(MemorySegment memory, Errno errno, String word) {
      this.memory = memory;
      this.errno = errno;
      this.word = word;
    }
  }

  static Stream<Arguments> buffers() {
    return EnumSet.allOf(Way.class).stream()
        .flatMap(
            way ->
                EnumSet.allOf(Buffer.class).stream()
                    .flatMap(
                        buffer ->
                            (way.takesInline() ? Stream.of(true, false) : Stream.of(false))
                                .map(inline -> Arguments.of(way, buffer, inline))));
  }

  @ParameterizedTest(name = "{0} of a buffer {1}, inline {2}")
  @MethodSource("buffers")
  void aBufferThatCannotBeReadIsRefused(Way way, Buffer bad, boolean inline) {
    MemoryRegion mr = inline ? null : region;
    int flags = inline ? SIGNALED | SendFlags.INLINE : SIGNALED;
    assertSays(bad.word, refused(bad.errno, () -> way.post(id, bad.memory, mr, flags)));
    assertNothingWasPosted();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aBufferOutsideOfTheRegionIsRefused(Way way) {
    for (MemorySegment outside :
        new MemorySegment[] {
          arena.allocate(SIZE),
          MemorySegment.ofAddress(memory.address() - 1).reinterpret(SIZE),
          MemorySegment.ofAddress(memory.address() + 1).reinterpret(SIZE)
        }) {
      VerbsException e = refused(Errno.EINVAL, () -> way.post(id, outside, region, SIGNALED));
      assertSays("no piece of mr", e);
    }
    assertNothingWasPosted();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void onlyInlineDataNeedsNoRegion(Way way) {
    VerbsException e = refused(Errno.EINVAL, () -> way.post(id, memory, null, SIGNALED));
    assertSays("mr is missing", e);
    assertNothingWasPosted();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aClosedIdSaysThatItIsClosed(Way way) {
    CmId closed = cm.createId(PortSpace.TCP);
    closed.bindAddr(new InetSocketAddress(link.nearAddress().toInetAddress(), 0));
    closed.close();
    if (way != Way.UD_SEND) { // its handle is made by the id
      assertSays(
          "is closed", refused(Errno.EINVAL, () -> way.post(closed, memory, region, SIGNALED)));
    }
    try (WorkCompletions one = new WorkCompletions(1)) {
      assertSays("is closed", refused(Errno.EINVAL, () -> RdmaVerbs.getSendComp(closed, one)));
      assertSays("is closed", refused(Errno.EINVAL, () -> RdmaVerbs.getRecvComp(closed, one)));
    }
    assertSays("is closed", refused(Errno.EINVAL, closed::getRequest));
  }

  @Test
  void anIdWithoutQueuesHasNoCompletions() {
    CmId bare = cm.createId(PortSpace.TCP);
    try (WorkCompletions one = new WorkCompletions(1)) {
      assertSays("no queue pair", refused(Errno.EINVAL, () -> RdmaVerbs.getSendComp(bare, one)));
      assertSays("no queue pair", refused(Errno.EINVAL, () -> RdmaVerbs.getRecvComp(bare, one)));
    }
  }

  @Test
  void anElementThatIsMissingIsRefused() {
    Sge none = null;
    Sge good = new Sge(region.iova(), 8, region.lkey());
    assertSays(
        "elements[1] is missing",
        refused(Errno.EINVAL, () -> RdmaVerbs.postSendv(id, 1, SIGNALED, good, none)));
    assertSays(
        "elements[0] is missing", refused(Errno.EINVAL, () -> RdmaVerbs.postRecvv(id, 1, none)));
    assertNothingWasPosted();
  }

  @Test
  void aPieceOfARegionThatHasAnAddressOfItsOwnIsFound() {
    int rights = AccessFlags.LOCAL_WRITE | AccessFlags.ZERO_BASED;
    try (MemoryRegion based = id.pd().registerMemory(memory, rights)) {
      memory.fill((byte) 7);
      MemorySegment from = memory.asSlice(8, 8);
      RdmaVerbs.postWrite(id, 2, from, based, SIGNALED, region.iova() + 32, region.rkey());
      assertCompletes(2);
    }
  }

  private void assertSays(String word, VerbsException e) {
    assertTrue(e.remedy().contains(word), e::remedy);
  }

  /** The queue pair is in RTS, and its next completion is of the next request. */
  private void assertNothingWasPosted() {
    assertEquals(QpState.RTS, id.qp().state());
    RdmaVerbs.postWrite(id, 9, memory, region, SIGNALED, region.iova(), region.rkey());
    assertCompletes(9);
    try (WorkCompletions one = new WorkCompletions(1)) {
      assertEquals(0, id.recvCq().poll(one));
    }
  }

  private void assertCompletes(long wrId) {
    try (WorkCompletions one = new WorkCompletions(1)) {
      RdmaVerbs.getSendComp(id, one);
      assertEquals(wrId, one.wrId(0));
      assertEquals(WcStatus.SUCCESS, one.status(0), () -> one.toString(0));
    }
  }
}
