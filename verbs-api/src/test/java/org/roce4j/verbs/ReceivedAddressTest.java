package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.layout.WcLayout;

/** The way back to the sender of a datagram, from the 40 bytes before it. */
class ReceivedAddressTest {
  private static final Gid HERE = Gid.parse("fd00::1");
  private static final Gid SENDER = Gid.parse("fd00::2");
  private static final int UDP = 17;
  private static final int TCP = 6;

  @AutoClose private final Arena arena = Arena.ofConfined();
  private final WorkCompletions completions = new WorkCompletions(arena, 1);
  private final Context context =
      (Context)
          Proxy.newProxyInstance(
              Context.class.getClassLoader(),
              new Class<?>[] {Context.class},
              (proxy, method, arguments) ->
                  List.of( // its GID table: of each address and port an entry of each type
                      new GidEntry(HERE, 0, 1, GidType.IB, 0),
                      new GidEntry(HERE, 1, 1, GidType.ROCE_V1, 0),
                      new GidEntry(HERE, 2, 2, GidType.ROCE_V2, 0),
                      new GidEntry(HERE, 3, 1, GidType.ROCE_V2, 0)));

  private MemorySegment header(int version, int nextHeader, Gid destination) {
    ByteBuffer bytes = ByteBuffer.allocate(GlobalRouteHeader.SIZE);
    bytes.putInt(version << 28 | 7 << 20 | 0x12345).putInt(32 << 16 | nextHeader << 8 | 5);
    bytes.put(SENDER.toBytes()).put(destination.toBytes());
    return MemorySegment.ofArray(bytes.array());
  }

  private AhAttr of(MemorySegment header) {
    return ReceivedAddress.of(context, 1, completions, 0, header, 0);
  }

  private void refuses(Errno errno, MemorySegment header) {
    refused(errno, () -> of(header));
  }

  @Test
  void answersFromTheAddressThatWasAskedWithWhatTheHeaderSays() {
    WcLayout.wcFlags(completions.memory(), 0, WcFlags.GRH);
    WcLayout.sl(completions.memory(), 0, 6);
    assertEquals(
        new AhAttr(true, new GlobalRoute(SENDER, 0, 3, 5, 7), 0, 6, 0, 0, 1),
        of(header(6, UDP, HERE)));
  }

  @Test
  void refusesWhatIsNoRoceHeader() {
    WcLayout.wcFlags(completions.memory(), 0, WcFlags.GRH);
    refuses(Errno.EPROTONOSUPPORT, header(6, TCP, HERE));
    refuses(Errno.EPROTONOSUPPORT, header(5, UDP, HERE));
  }

  @Test
  void refusesWhatItCannotAnswerFrom() {
    refuses(Errno.EINVAL, header(6, UDP, HERE)); // the completion has no header
    WcLayout.wcFlags(completions.memory(), 0, WcFlags.GRH);
    refuses(Errno.EINVAL, header(6, UDP, Gid.parse("ff02::1")));
    refuses(Errno.EINVAL, header(6, UDP, Gid.parse("fd00::3")));
  }

  /** The header may lie anywhere in the memory, and its last byte may be the memory's last. */
  @Test
  void headerThatIsSomewhereInItsMemory() {
    WcLayout.wcFlags(completions.memory(), 0, WcFlags.GRH | WcFlags.WITH_IMM);
    MemorySegment memory = MemorySegment.ofArray(new byte[GlobalRouteHeader.SIZE + 9]);
    memory.asSlice(9).copyFrom(header(6, UDP, HERE));
    assertEquals(SENDER, ReceivedAddress.of(context, 1, completions, 0, memory, 9).grh().dgid());
    for (long outside : new long[] {-1, 10, Long.MAX_VALUE}) {
      String told =
          refused(
                  Errno.EINVAL,
                  () -> ReceivedAddress.of(context, 1, completions, 0, memory, outside))
              .remedy();
      assertEquals(
          "headerAt must leave 40 bytes of the header's memory of 49, not be " + outside, told);
    }
  }

  @Test
  void argumentsThatCannotBeRead() {
    WcLayout.wcFlags(completions.memory(), 0, WcFlags.GRH);
    MemorySegment header = header(6, UDP, HERE);
    for (int index : new int[] {-1, 1}) {
      refused(Errno.EINVAL, () -> ReceivedAddress.of(context, 1, completions, index, header, 0));
    }
    refused(Errno.EINVAL, () -> ReceivedAddress.of(context, 1, null, 0, header, 0));
    refused(Errno.EINVAL, () -> ReceivedAddress.of(context, 1, completions, 0, null, 0));
    Arena closed = Arena.ofConfined();
    MemorySegment freed = closed.allocate(GlobalRouteHeader.SIZE);
    WorkCompletions freedCompletions = new WorkCompletions(closed, 1);
    closed.close();
    refused(Errno.EFAULT, () -> ReceivedAddress.of(context, 1, completions, 0, freed, 0));
    refused(Errno.EFAULT, () -> ReceivedAddress.of(context, 1, freedCompletions, 0, header, 0));
  }
}
