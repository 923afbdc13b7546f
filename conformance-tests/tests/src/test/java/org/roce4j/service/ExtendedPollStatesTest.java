package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.service.ExtendedCompletionQueueContract.Loop;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcExFlags;

/** Every state of polling against every call; every field alone against every other. */
@EmulatedRdma(devices = 1)
@Timeout(60)
class ExtendedPollStatesTest {
  /** The states of a poll, with the result of each of {@link #CALLS}. */
  enum State {
    IDLE("ENOENT EINVAL EINVAL EINVAL EINVAL"),
    STANDING("EINVAL 0 0 0 0"),
    NOTHING_MORE("EINVAL ENOENT 0 EINVAL EINVAL"),
    ENDED("0 EINVAL EINVAL EINVAL EINVAL"),
    OF_ANOTHER_THREAD("- EINVAL EINVAL EINVAL EINVAL"),
    OVERRUN("EIO EINVAL EINVAL EINVAL EINVAL"),
    CLOSED("EINVAL EINVAL EINVAL EINVAL EINVAL");

    private final String answers;

    State(String answers) {
      this.answers = answers;
    }
  }

  private static final Map<String, ToIntFunction<ExtendedCompletionQueue>> CALLS =
      new LinkedHashMap<>();

  static {
    CALLS.put("startPoll", ExtendedCompletionQueue::startPoll);
    CALLS.put("nextPoll", ExtendedCompletionQueue::nextPoll);
    CALLS.put("endPoll", of(ExtendedCompletionQueue::endPoll));
    CALLS.put("wrId", of(ExtendedCompletionQueue::wrId));
    CALLS.put("readByteLength", of(ExtendedCompletionQueue::readByteLength));
  }

  private static ToIntFunction<ExtendedCompletionQueue> of(Consumer<ExtendedCompletionQueue> call) {
    return cq -> {
      try {
        call.accept(cq);
        return 0;
      } catch (VerbsException e) {
        return e.errno().number();
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void everyCallAnswersAsTheStateSays(State state, Context context) throws InterruptedException {
    String[] expected = state.answers.split(" ");
    int i = 0;
    for (var call : CALLS.entrySet()) {
      String word = expected[i++];
      if (!word.equals("-")) {
        Loop loop = brought(state, context);
        int answer = call.getValue().applyAsInt(loop.cq);
        String name = answer == 0 ? "0" : Errno.of(answer).name();
        assertEquals(word, name, () -> call.getKey() + " in " + state);
      }
    }
  }

  private static Loop brought(State state, Context context) throws InterruptedException {
    int entries = state == State.OVERRUN ? 1 : 16;
    Loop loop = new Loop(context, ExtendedCompletionQueueContract.plain().cqe(entries));
    ExtendedCompletionQueue cq = loop.cq;
    if (state == State.IDLE) {
      return loop;
    }
    int requests = state == State.OVERRUN ? cq.cqe() + 2 : 2;
    for (int i = 0; i < requests; i++) {
      loop.write(i);
    }
    Loop watch = new Loop(context, ExtendedCompletionQueueContract.plain());
    watch.write(0);
    watch.drain(1); // then the other's are done, too
    switch (state) {
      case STANDING -> start(loop);
      case NOTHING_MORE -> {
        start(loop);
        while (cq.nextPoll() == 0) {}
      }
      case ENDED -> {
        start(loop);
        cq.endPoll();
      }
      case OF_ANOTHER_THREAD -> Thread.ofPlatform().start(() -> start(loop)).join();
      case OVERRUN -> {
        while (cq.startPoll() == 0) {
          cq.endPoll();
        }
      }
      default -> {
        loop.qp.close();
        cq.close();
      }
    }
    return loop;
  }

  private static void start(Loop loop) {
    loop.start();
    assertEquals(0, loop.cq.wrId());
  }

  /** A field that a completion queue may have. */
  enum Field {
    BYTE_LEN(WcExFlags.WITH_BYTE_LEN, ExtendedCompletionQueue::readByteLength),
    IMM(WcExFlags.WITH_IMM, ExtendedCompletionQueue::readImmediate),
    INVALIDATED(WcExFlags.WITH_IMM, ExtendedCompletionQueue::readInvalidatedRkey),
    QP_NUM(WcExFlags.WITH_QP_NUM, ExtendedCompletionQueue::readQpNum),
    SRC_QP(WcExFlags.WITH_SRC_QP, ExtendedCompletionQueue::readSourceQp),
    SLID(WcExFlags.WITH_SLID, ExtendedCompletionQueue::readSlid),
    SL(WcExFlags.WITH_SL, ExtendedCompletionQueue::readServiceLevel),
    DLID_PATH_BITS(WcExFlags.WITH_DLID_PATH_BITS, ExtendedCompletionQueue::readDlidPathBits),
    TIMESTAMP(
        WcExFlags.WITH_COMPLETION_TIMESTAMP, ExtendedCompletionQueue::readCompletionTimestamp),
    WALLCLOCK(
        WcExFlags.WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
        ExtendedCompletionQueue::readCompletionWallclockNs);

    private final int flag;
    private final ToLongFunction<ExtendedCompletionQueue> reader;

    Field(int flag, ToLongFunction<ExtendedCompletionQueue> reader) {
      this.flag = flag;
      this.reader = reader;
    }

    long read(ExtendedCompletionQueue cq) {
      return reader.applyAsLong(cq);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFieldThatAloneWasAskedForIsToldAlone(Field field, Context context) {
    Loop loop = new Loop(context, ExtendedCompletionQueueContract.plain().wcFlags(field.flag));
    long before = Long.MIN_VALUE;
    for (int i = 0; i < 2; i++) {
      loop.write(i);
      loop.start();
      long told = field.read(loop.cq);
      if (field == Field.TIMESTAMP || field == Field.WALLCLOCK) {
        assertTrue(told > before, "time goes on: " + told);
        before = told;
      }
      for (Field other : Field.values()) {
        int errno = of(other::read).applyAsInt(loop.cq);
        assertEquals(
            other.flag == field.flag ? 0 : Errno.EINVAL.number(), errno, () -> "reads " + other);
      }
      loop.cq.endPoll();
    }
  }
}
