package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.device.OddMemoryTest.Oddity;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/** Requests that a builder takes or refuses by the objects and numbers that they name. */
class BuiltRequestTest {
  private static final int OK = 0;
  private static final int EFAULT = 14;
  private static final int EINVAL = 22;
  private static final int SGE = 2;

  @AutoClose private final Rig rig = new Rig();
  @AutoClose private final Rig elsewhere = new Rig();
  private final MemorySegment bytes = rig.arena.allocate(64, 8);

  private interface Requests extends BiConsumer<BuiltRequestTest, WorkRequestBuilder> {}

  private static Arguments row(String what, int errno, int inlineBytes, Requests requests) {
    return Arguments.of(what, errno, inlineBytes, requests);
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row("a list of -1 elements", EINVAL, 0, (t, b) -> b.send().setSgeList(t.bytes, -1)),
        row("as many elements as it may", OK, 0, (t, b) -> b.send().setSgeList(t.bytes, SGE)),
        row("one element more", EINVAL, 0, (t, b) -> b.send().setSgeList(t.bytes, SGE + 1)),
        row("a freed list", EFAULT, 0, (t, b) -> b.send().setSgeList(t.odd(Oddity.FREED), 1)),
        row(
            "a confined list",
            EFAULT,
            0,
            (t, b) -> b.send().setSgeList(t.odd(Oddity.OF_ANOTHER_THREAD), 1)),
        row(
            "freed bytes inline",
            EFAULT,
            64,
            (t, b) -> b.send().setInlineData(t.odd(Oddity.FREED))),
        row(
            "confined bytes inline",
            EFAULT,
            64,
            (t, b) -> b.send().setInlineData(t.odd(Oddity.OF_ANOTHER_THREAD))),
        row("bytes inline", EINVAL, 0, (t, b) -> b.send().setInlineData(t.bytes.asSlice(0, 1))),
        row("no bytes inline", OK, 0, (t, b) -> b.send().setInlineData(t.bytes.asSlice(0, 0))),
        row(
            "elements after bytes inline, more than fit inline",
            OK,
            8,
            (t, b) ->
                b.send()
                    .setInlineData(t.bytes.asSlice(0, 8))
                    .setSge(t.rig.region.lkey(), t.rig.region.iova(), 16)),
        row("a value, which needs no room inline", OK, 0, (t, b) -> b.atomicWrite(1, 8, 5)),
        row(
            "what has no data, after bytes inline",
            OK,
            8,
            (t, b) -> {
              b.send().setInlineData(t.bytes.asSlice(0, 8));
              b.localInvalidate(1);
            }),
        row(
            "what has no data, after elements",
            OK,
            8,
            (t, b) -> {
              b.send().setSgeList(t.bytes, SGE);
              b.localInvalidate(1);
            }),
        row("a window of type 2", OK, 0, (t, b) -> t.bind(b, t.window(t.rig), t.rig.region)),
        row("a window to unbind", OK, 0, (t, b) -> t.bind(b, t.window(t.rig), null)),
        row(
            "a window of type 1",
            EINVAL,
            0,
            (t, b) -> t.bind(b, t.rig.pd.allocMemoryWindow(MwType.TYPE_1), t.rig.region)),
        row(
            "a window of another device",
            EINVAL,
            0,
            (t, b) -> t.bind(b, t.window(t.elsewhere), t.rig.region)),
        row("a destroyed window", EINVAL, 0, BuiltRequestTest::destroyedWindow),
        row(
            "a region of another device",
            EINVAL,
            0,
            (t, b) -> t.bind(b, t.window(t.rig), t.elsewhere.region)),
        row("a destroyed region", EINVAL, 0, BuiltRequestTest::destroyedRegion));
  }

  private MemorySegment odd(Oddity oddity) {
    return oddity.view(bytes);
  }

  private MemoryWindow window(Rig of) {
    return of.pd.allocMemoryWindow(MwType.TYPE_2);
  }

  private void bind(WorkRequestBuilder builder, MemoryWindow window, MemoryRegion to) {
    builder.bindMemoryWindow(window, 0x100, to, to == null ? 0 : to.iova(), 8, 0);
  }

  private void destroyedWindow(WorkRequestBuilder builder) {
    MemoryWindow window = window(rig);
    window.close();
    bind(builder, window, rig.region);
  }

  private void destroyedRegion(WorkRequestBuilder builder) {
    MemoryRegion region = rig.pd.registerMemory(bytes, 0);
    region.close();
    bind(builder, window(rig), region);
  }

  private QueuePair builds(int inlineBytes) {
    long operations = 0;
    for (WrOpcode each : WrOpcode.values()) {
      operations |= SendRule.supported(each, QpType.RC) ? SendOpsFlags.of(each) : 0;
    }
    QpCapabilities cap = new QpCapabilities(4, 4, SGE, SGE, inlineBytes);
    QueuePair qp = rig.pd.createQp(rig.init(QpType.RC).cap(cap).sendOps(operations));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).maxRdAtomic(1));
    return qp;
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("rows")
  void isTakenOrRefused(String what, int errno, int inlineBytes, Requests requests) {
    WorkRequestBuilder builder = builds(inlineBytes).builder();
    builder.start();
    requests.accept(this, builder);
    assertEquals(errno, builder.complete(), builder::whyRefused);
  }

  static List<Consumer<WorkRequestBuilder>> calls() {
    MemorySegment none = MemorySegment.ofArray(new byte[0]);
    return List.of(
        b -> assertEquals(OK, b.complete()),
        WorkRequestBuilder::abort,
        b -> b.wrId(1),
        b -> b.flags(0),
        WorkRequestBuilder::send,
        b -> b.rdmaWrite(1, 0),
        b -> b.localInvalidate(1),
        b -> b.setSge(1, 0, 1),
        b -> b.setInlineData(none),
        b -> b.setXrcSrqNumber(1));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void aCallOutsideABatchIsRefusedAndChangesNothing(Consumer<WorkRequestBuilder> call) {
    WorkRequestBuilder builder = builds(0).builder();
    assertEquals(Errno.EINVAL, refusal(() -> call.accept(builder)));
    builder.start();
    builder.send();
    assertEquals(OK, builder.complete());
    assertEquals(Errno.EINVAL, refusal(() -> call.accept(builder)), "the batch is complete");
  }

  private static Errno refusal(Executable call) {
    return assertThrows(VerbsException.class, call).errno();
  }

  /** Four requests fit into the queue, and nothing answers them. */
  @ParameterizedTest(name = "{0} posted, {1} more in {2}: {3}")
  @CsvSource({
    "0, 4, RTS, OK, ",
    "0, 5, RTS, ENOMEM, the batch is larger than the send queue",
    "3, 2, RTS, ENOMEM, the send queue has no room for the batch",
    "0, 1, RESET, EINVAL, in its state the queue pair takes no send requests"
  })
  void aBatchIsRefusedAsAWholeWithItsReason(
      int posted, int more, QpState state, String errno, String words) {
    QueuePair qp = builds(0);
    WorkRequestBuilder builder = qp.builder();
    assertEquals(OK, batch(builder, posted));
    qp.modify(new QpAttr().qpState(state));
    assertEquals(errno.equals("OK") ? OK : Errno.valueOf(errno).number(), batch(builder, more));
    if (words != null) {
      String why = builder.whyRefused();
      assertTrue(why.contains(words), why);
    }
  }

  private static int batch(WorkRequestBuilder builder, int sends) {
    builder.start();
    for (int i = 0; i < sends; i++) {
      builder.send();
    }
    return builder.complete();
  }
}
