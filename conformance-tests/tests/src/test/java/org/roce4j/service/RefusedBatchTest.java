package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;

/**
 * Wrong calls of a builder: the batch ends with the first one's errno and words, and nothing of it
 * is sent.
 */
@EmulatedRdma(devices = 1)
class RefusedBatchTest {
  private static Arguments row(
      String what, Errno errno, String words, Consumer<BuilderLoop> wrongCall) {
    return Arguments.of(what, errno, words, wrongCall);
  }

  private static Arguments row(String what, String words, Consumer<BuilderLoop> wrongCall) {
    return row(what, Errno.EINVAL, words, wrongCall);
  }

  static Stream<Arguments> wrongCalls() {
    return Stream.of(
        row(
            "an address for a connected queue pair",
            "datagrams",
            l -> l.wr.send().setUdAddress(l.pd.createAh(l.path()), 1, 1)),
        row("a shared receive queue without XRC", "XRC_SEND", l -> l.wr.send().setXrcSrqNumber(1)),
        row(
            "too many elements",
            "max_send_sge",
            l -> l.wr.send().setSgeList(l.memory, BuilderLoop.ELEMENTS + 1)),
        row(
            "a negative number of elements",
            "max_send_sge",
            l -> l.wr.send().setSgeList(l.memory, -1)),
        row(
            "a list beyond its memory",
            Errno.EFAULT,
            "longer",
            l -> l.wr.send().setSgeList(l.memory.asSlice(0, 31), 2)),
        row("freed elements", Errno.EFAULT, "freed", l -> l.wr.send().setSgeList(freed(), 1)),
        row("freed inline data", Errno.EFAULT, "freed", l -> l.wr.send().setInlineData(freed())),
        row(
            "too many bytes inline",
            "max_inline_data",
            l -> l.wr.send().setInlineData(l.memory.asSlice(0, BuilderLoop.INLINE + 1))),
        row(
            "too many bytes inline, in pieces",
            "max_inline_data",
            l ->
                l.wr
                    .send()
                    .setInlineDataList(
                        List.of(l.memory.asSlice(0, BuilderLoop.INLINE), l.memory.asSlice(0, 1)))),
        row(
            "a READ inline",
            "no inline data",
            l -> l.wr.rdmaRead(l.region.rkey(), l.remote()).setInlineData(l.memory.asSlice(0, 8))),
        row(
            "an atomic of four bytes",
            "eight bytes",
            l -> l.wr.fetchAndAdd(l.region.rkey(), l.remote(), 1).setSge(l.region, 0, 4)),
        row(
            "an atomic at an odd address",
            "eight bytes",
            l -> l.wr.compareAndSwap(l.region.rkey(), l.remote() + 1, 1, 1).setSge(l.region, 0, 8)),
        row(
            "an ATOMIC_WRITE at an odd address",
            "eight bytes",
            l -> l.wr.atomicWrite(l.region.rkey(), l.remote() + 4, 1)),
        row(
            "an ATOMIC_WRITE with elements",
            "names its data",
            l -> l.wr.atomicWrite(l.region.rkey(), l.remote(), 1).setSge(l.region, 0, 8)),
        row(
            "a local operation with elements",
            "no scatter/gather",
            l -> l.wr.localInvalidate(1).setSge(l.region, 0, 8)),
        row("a window of type 1", "type 2", l -> bind(l, l.pd.allocMemoryWindow(MwType.TYPE_1))),
        row("a window that is gone", "not destroyed", l -> bind(l, goneWindow(l))),
        row("a FLUSH for nothing", "placement", l -> l.wr.flush(1, 0, 8, 0, 0)),
        row("a FLUSH for what is not", "placement", l -> l.wr.flush(1, 0, 8, 4, 0)),
        row("a FLUSH of neither", "selectivity", l -> l.wr.flush(1, 0, 8, 1, 2)),
        row("a FLUSH of less than nothing", "2^31", l -> l.wr.flush(1, 0, -1, 1, 0)),
        row("a FLUSH of too much", "2^31", l -> l.wr.flush(1, 0, (1L << 31) + 1, 1, 0)),
        row(
            "a FLUSH with elements",
            "no scatter/gather",
            l -> l.wr.flush(1, 0, 8, 1, 0).setSge(l.region, 0, 8)),
        row(
            "a FLUSH inline",
            "no inline data",
            l -> l.wr.flush(1, 0, 8, 1, 0).setInlineData(l.memory.asSlice(0, 8))));
  }

  private static MemorySegment freed() {
    try (Arena arena = Arena.ofConfined()) {
      return arena.allocate(BuilderLoop.INLINE);
    }
  }

  private static MemoryWindow goneWindow(BuilderLoop loop) {
    MemoryWindow window = loop.pd.allocMemoryWindow(MwType.TYPE_2);
    window.close();
    return window;
  }

  private static void bind(BuilderLoop loop, MemoryWindow window) {
    loop.wr.bindMemoryWindow(window, window.rkey() + 1, loop.region, loop.remote(), 8, 0);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrongCalls")
  void theFirstWrongCallCountsAndNothingIsPosted(
      String what, Errno errno, String words, Consumer<BuilderLoop> wrongCall, Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    loop.wr.start();
    loop.wr.wrId(7).flags(SendFlags.SIGNALED);
    write(loop);
    wrongCall.accept(loop);
    write(loop);
    loop.wr.flush(1, 1, 1, 1, 1); // another wrong call, which is ignored
    VerbsException e = assertThrows(VerbsException.class, loop.wr::completeOrThrow);
    assertEquals(errno, e.errno(), e::getMessage);
    assertTrue(e.remedy().contains(words), e::remedy);
    runsWhatWasPostedBefore(context);
    assertEquals(0, loop.cq.poll(new WorkCompletions(loop.arena, 1)));
    loop.wr.start();
    write(loop);
    loop.wr.completeOrThrow();
    assertEquals("", loop.wr.whyRefused());
    assertEquals(List.of(7L), loop.drain(1));
  }

  /** By a request of another queue pair. */
  private static void runsWhatWasPostedBefore(Context context) {
    BuilderLoop watch = new BuilderLoop(context);
    watch.wr.start();
    watch.wr.flags(SendFlags.SIGNALED);
    write(watch);
    watch.wr.completeOrThrow();
    watch.drain(1);
  }

  @Test
  void aQueuePairThatIsResetOrGoneMeanwhileTakesNothing(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    loop.wr.start();
    write(loop);
    loop.qp.modify(new QpAttr().qpState(QpState.RESET));
    refusedAsAWhole(loop, "RTS");
    loop.wr.start();
    write(loop);
    loop.qp.close();
    refusedAsAWhole(loop, "was destroyed");
    assertThrows(VerbsException.class, loop.qp::builder);
  }

  @Test
  void aDatagramOfAQueuePairWithoutAPortIsRefusedForTheState(Context context) {
    BuilderLoop loop = new BuilderLoop(context, QpType.UD, BuilderLoop.DATAGRAMS);
    WorkRequestBuilder early = loop.pd.createQp(loop.qp.initAttr()).builder();
    early.start();
    early.send().setUdAddress(loop.pd.createAh(loop.path()), 1, 1);
    assertEquals(Errno.EINVAL.number(), early.complete());
    assertTrue(early.whyRefused().contains("RTS"), early.whyRefused());
  }

  private static void write(BuilderLoop loop) {
    loop.wr.rdmaWrite(loop.region.rkey(), loop.remote()).setSge(loop.region, 0, 8);
  }

  @Test
  void datagramsNeedAnAddressOfTheirDomain(Context context) {
    BuilderLoop loop = new BuilderLoop(context, QpType.UD, BuilderLoop.DATAGRAMS);
    loop.wr.start();
    loop.wr.send();
    refused(loop, "setUdAddress");
    AddressHandle own = loop.pd.createAh(loop.path());
    loop.wr.start();
    loop.wr.send().setUdAddress(own, loop.qp.qpNum(), BuilderLoop.QKEY);
    loop.wr.send(); // it does not take the field of the request before
    refused(loop, "setUdAddress");
    AddressHandle foreign = context.allocPd().createAh(loop.path());
    loop.wr.start();
    loop.wr.send().setUdAddress(foreign, 1, 1);
    refused(loop, "domain");
    AddressHandle gone = loop.pd.createAh(loop.path());
    gone.close();
    loop.wr.start();
    loop.wr.send().setUdAddress(gone, 1, 1);
    refused(loop, "not destroyed");
  }

  private static void refused(BuilderLoop loop, String words) {
    assertEquals(Errno.EINVAL.number(), loop.wr.complete());
    assertTrue(loop.wr.whyRefused().contains(words), loop.wr.whyRefused());
  }

  private static void refusedAsAWhole(BuilderLoop loop, String words) {
    refused(loop, words);
    assertTrue(loop.wr.whyRefused().contains(", the batch: "), loop.wr.whyRefused());
  }

  @Test
  void withoutAStartNothingIsBuilt(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    List<Runnable> calls =
        List.of(
            () -> loop.wr.wrId(1),
            () -> loop.wr.flags(0),
            () -> loop.wr.send(),
            () -> loop.wr.setSge(loop.region, 0, 1),
            () -> loop.wr.completeOrThrow(),
            () -> loop.wr.abort());
    for (Runnable call : calls) {
      VerbsException e = assertThrows(VerbsException.class, call::run);
      assertEquals(Errno.EINVAL, e.errno());
      assertTrue(e.remedy().contains("start"), e::remedy);
    }
    loop.wr.start();
    VerbsException twice = assertThrows(VerbsException.class, loop.wr::start);
    assertEquals(Errno.EINVAL, twice.errno());
    loop.wr.setSge(loop.region, 0, 8);
    refused(loop, "operation comes first");
    loop.wr.start();
    assertEquals(0, loop.wr.complete(), "an empty batch is a batch");
  }
}
