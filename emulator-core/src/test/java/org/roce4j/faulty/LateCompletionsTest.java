package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.layout.WcLayout;

/**
 * Random late completions and their events, against a list of the expected ones and their times.
 */
class LateCompletionsTest {
  private static final int DEPTH = 64;
  private static final long LATE_NS = 10_000;

  private record Late(int queuePair, long id, long dueNs) {}

  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final WorkCompletions completions = new WorkCompletions(DEPTH);

  private long nowNs;
  private CompletionChannel channel;
  private CompletionQueue cq;
  private final List<QueuePair> queuePairs = new ArrayList<>();
  private final int[] numbers = new int[2];

  /** Expected completions: in the queue beneath, and held. */
  private final Deque<Late> fresh = new ArrayDeque<>();

  private final List<Late> held = new ArrayList<>();
  private long seen;

  /**
   * Whether the event of the decorated queue is armed; whether the program wants an event; the
   * number of events that it has taken.
   */
  private boolean armedBeneath;

  private int eventsBeneath;
  private boolean armed;
  private int taken;
  private int acknowledged;
  private int takenBeneath;
  private int acknowledgedBeneath;

  private void open() {
    nowNs = 1_000_000_000;
    Context context =
        FaultyDevice.around(
                Bare.around(devices.device("faulty", Gid.parse("10.0.0.1")), this::beneath),
                VerbsFaults.parse("late=10us every=3"),
                () -> nowNs)
            .open();
    ProtectionDomain pd = context.allocPd();
    channel = context.createCompletionChannel();
    cq = context.createCq(DEPTH, null, channel, 0);
    for (int i = 0; i < numbers.length; i++) {
      QueuePair qp =
          pd.createQp(
              new QpInitAttr().qpType(QpType.UD).cq(cq).cap(new QpCapabilities(1, DEPTH, 1, 1, 0)));
      QpBringUp.toRts(qp, QpBringUp.attributes());
      qp.modify(new QpAttr().qpState(QpState.ERR));
      queuePairs.add(qp);
      numbers[i] = qp.qpNum();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void eachComesOnceInItsTurnAndWithItsEvent(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    open();
    for (int step = 0; step < 300; step++) {
      switch (random.nextInt(6)) {
        case 0 -> complete(random.nextInt(numbers.length), step);
        case 1 -> nowNs += random.nextLong(LATE_NS / 2);
        case 2 -> poll(random.nextInt(1, 4));
        case 3 -> {
          cq.requestNotification(false);
          armedBeneath = true;
          armed = true;
        }
        case 4 -> acknowledge(random.nextInt(taken - acknowledged + 1));
        default -> event();
      }
    }
    nowNs += LATE_NS;
    poll(DEPTH / 2);
    poll(DEPTH / 2);
    assertEquals(0, held.stream().filter(late -> late.dueNs <= nowNs).count());
    acknowledge(taken - acknowledged);
    assertEquals(takenBeneath, acknowledgedBeneath);
    queuePairs.forEach(QueuePair::close);
    cq.close();
    channel.close();
  }

  private void acknowledge(int count) {
    cq.ackEvents(count);
    acknowledged += count;
  }

  private void beneath(String call, Object[] arguments) {
    acknowledgedBeneath += call.equals("ackEvents") ? (int) arguments[0] : 0;
  }

  /** A receive request that is flushed at once. */
  private void complete(int queuePair, long id) {
    if (fresh.size() == DEPTH / 2) {
      return;
    }
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      assertEquals(0, queuePairs.get(queuePair).postRecv(list.add().wrId(id)));
    }
    fresh.add(new Late(numbers[queuePair], id, nowNs));
    eventsBeneath += armedBeneath ? 1 : 0;
    armedBeneath = false;
  }

  /** Polls with more memory than {@code most} needs. */
  private void poll(int most) {
    List<Long> expected = new ArrayList<>();
    while (expected.size() < most && firstDue() != null) {
      Late due = firstDue();
      held.remove(due);
      expected.add(due.id);
    }
    for (int room = most - expected.size(); room > 0 && !fresh.isEmpty(); room--) {
      Late next = fresh.remove();
      long dueNs = seen++ % 3 == 0 ? nowNs + LATE_NS : Long.MIN_VALUE;
      for (Late before : held) {
        dueNs = before.queuePair == next.queuePair ? Math.max(dueNs, before.dueNs) : dueNs;
      }
      if (dueNs == Long.MIN_VALUE) {
        expected.add(next.id);
      } else {
        held.add(new Late(next.queuePair, next.id, dueNs));
      }
    }
    completions.memory().fill((byte) -1);
    int count = cq.poll(completions.memory(), completions.address(), most);
    List<Long> found = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      found.add(completions.wrId(i));
    }
    assertEquals(expected, found);
    assertEquals(
        -1,
        completions.memory().asSlice((long) most * WcLayout.SIZE).get(ValueLayout.JAVA_LONG, 0));
  }

  private Late firstDue() {
    return held.stream().filter(late -> late.dueNs <= nowNs).findFirst().orElse(null);
  }

  private void event() {
    boolean late = armed && firstDue() != null;
    boolean comes = late || eventsBeneath > 0;
    assertSame(comes ? cq : null, channel.getCqEvent(0));
    eventsBeneath -= comes && !late ? 1 : 0;
    takenBeneath += comes && !late ? 1 : 0;
    armed &= !comes;
    taken += comes ? 1 : 0;
  }
}
