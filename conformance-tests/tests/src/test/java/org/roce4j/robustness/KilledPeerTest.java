package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** A peer is killed (SIGKILL) in the middle of traffic. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledPeerTest {
  /** 4.096 us * 2^14. */
  private static final long TIMEOUT_NS = 67_108_864;

  private static final int RETRIES = 7;
  private static final long EARLIEST_NS = (RETRIES + 1) * TIMEOUT_NS;
  private static final long LATEST_NS = 4 * EARLIEST_NS + 5_000_000_000L;
  private static final int RECEIVES = 8;
  private static final int WINDOW = 16;
  private static final int BEFORE_DEATH = 300;
  private static final int MOST_ATTEMPTS = 5;
  private static final int START_SECONDS = 90;

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty"})
  void isGivenUpInTimeAndWhatWasOutstandingIsFlushedInOrder(String transport) throws Exception {
    int attempts = 1;
    while (!givesUpAPeerThatIsKilled(transport)) {
      assertTrue(attempts++ < MOST_ATTEMPTS, "the peer is given up before it is killed");
    }
  }

  /** False if a busy machine let the live peer wait for a processor until it was given up. */
  private static boolean givesUpAPeerThatIsKilled(String transport) throws Exception {
    Gid ours = Loopback.fresh();
    Gid its = Loopback.fresh();
    DeviceOptions options = DeviceOptions.of("survivor", ours).withTransport(transport);
    try (Children children = new Children();
        RcSide side = new RcSide(Emulator.device(options), MortalPeer.MESSAGE)) {
      Children.Child peer =
          children.start(
              MortalPeer.class.getName(), transport, its.addressText(), ours.addressText());
      connect(side, its, peer);
      LastWords last = sendUntilGivenUp(side, peer);
      if (last.completed < BEFORE_DEATH) {
        return false;
      }
      assertTrue(
          last.waitedNs >= EARLIEST_NS && last.waitedNs <= LATEST_NS,
          String.format(
              Locale.ROOT,
              "given up after %.3f s, which is not within %.3f to %.3f s",
              last.waitedNs / 1e9,
              EARLIEST_NS / 1e9,
              LATEST_NS / 1e9));
      List<RcSide.Completion> failed = new ArrayList<>(last.failed);
      failed.addAll(side.await(last.outstanding() + RECEIVES - failed.size()));
      flushedInOrder(last, failed);
      assertEquals(QpState.ERR, side.qp.state());
      assertEquals(List.of(), side.poll());
      return true;
    }
  }

  private static void connect(RcSide side, Gid its, Children.Child peer) throws Exception {
    String number = peer.awaitLine(line -> line.matches("[0-9]+"), START_SECONDS);
    RcSide.connect(side.qp, its, Integer.parseInt(number), 14, RETRIES);
    peer.tell(Integer.toString(side.qp.qpNum()));
    peer.awaitLine("ready"::equals, START_SECONDS);
    for (int i = 0; i < RECEIVES; i++) {
      assertEquals(0, side.receive(-1 - i, 0, MortalPeer.MESSAGE));
    }
  }

  /**
   * How the traffic ended.
   *
   * @param posted number of accepted requests
   * @param completed number of successful requests
   * @param waitedNs time from the last success to the first failure
   * @param failed completions that came with the first failure
   */
  private record LastWords(
      long posted, long completed, long waitedNs, List<RcSide.Completion> failed) {
    int outstanding() {
      return (int) (posted - completed);
    }
  }

  /** Keeps {@link #WINDOW} requests outstanding and kills the peer after {@link #BEFORE_DEATH}. */
  private static LastWords sendUntilGivenUp(RcSide side, Children.Child peer) {
    long posted = 0;
    long completed = 0;
    long lookedNs = System.nanoTime();
    long answeredNs = lookedNs;
    List<RcSide.Completion> failed = new ArrayList<>();
    while (failed.isEmpty() && System.nanoTime() - answeredNs < 2 * LATEST_NS) {
      while (posted < completed + WINDOW && side.send(posted, 0, MortalPeer.MESSAGE) == 0) {
        posted++;
      }
      long lookingNs = System.nanoTime(); // before the poll and the kill
      for (RcSide.Completion each : side.poll()) {
        if (each.status() == WcStatus.SUCCESS) {
          assertEquals(completed, each.wrId());
          if (++completed == BEFORE_DEATH) {
            peer.kill();
          }
          answeredNs = lookedNs; // it came after the last poll
        } else {
          failed.add(each);
        }
      }
      lookedNs = lookingNs;
    }
    return new LastWords(posted, completed, System.nanoTime() - answeredNs, failed);
  }

  private static void flushedInOrder(LastWords last, List<RcSide.Completion> failed) {
    List<RcSide.Completion> sends = failed.stream().filter(each -> each.wrId() >= 0).toList();
    List<RcSide.Completion> receives = failed.stream().filter(each -> each.wrId() < 0).toList();
    assertEquals(
        LongStream.range(last.completed, last.posted).boxed().toList(),
        sends.stream().map(RcSide.Completion::wrId).toList());
    assertEquals(WcStatus.RETRY_EXC_ERR, sends.getFirst().status());
    assertFlushed(sends.subList(1, sends.size()));
    assertEquals(
        LongStream.rangeClosed(1, RECEIVES).map(i -> -i).boxed().toList(),
        receives.stream().map(RcSide.Completion::wrId).toList());
    assertFlushed(receives);
  }

  private static void assertFlushed(List<RcSide.Completion> completions) {
    assertTrue(
        completions.stream().allMatch(each -> each.status() == WcStatus.WR_FLUSH_ERR),
        completions.toString());
  }
}
