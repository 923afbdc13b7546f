package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/** Requests that a builder takes or refuses by the objects and numbers that they name. */
class BuiltRequestTest {
  private static final int OK = 0;
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
}
