package org.roce4j.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.lab.LabSession;
import org.roce4j.lab.LabState;
import org.roce4j.lab.Scenario;

/**
 * Following the proposals of the lessons has the described effect. A proposal is a row: its words,
 * the actions of a student who follows it, and the effect.
 */
class LessonTriesTest {
  /**
   * {@code >} plays an action, {@code =} is expected in the transcript, behind the one before,
   * {@code !} must not be in it, {@code ~} is memory of a device: offset and bytes.
   */
  private static final String ROWS =
      """
      atomic-replay: `compare_swap a1 at=8 compare=0 swap=1`, and lose its answer.
        > connect a b timeout=10
        > compare_swap a1 at=8 compare=0 swap=1 into=64
        > step
        > packet 2 drop
        > run
        = packet 2: lost
        = a1: goes back to PSN 0 (ack_timeout)
        = packet 4: b > a RC Atomic Acknowledge QP 0xa70e47 PSN 0 ACK MSN 1 original 0x0000000000000000
        = a1: compare_swap a1 at=8 into=64 compare=0 swap=1 completes
        ~ b 8 0100000000000000
      congestion: `run for=1ms` between two messages with marks, and count the CNPs.
        > connect a b
        > receive b1 bytes=1024
        > receive b1 bytes=1024
        > send a1 bytes=1024
        > packet 1 mark-ecn
        > packet 2 mark-ecn
        > run for=1ms
        > send a1 bytes=1024
        > packet 7 mark-ecn
        > packet 8 mark-ecn
        > run
        = > run for=1ms
        = packet 5: b > a CNP
        = > send a1 bytes=1024
        = packet 11: b > a CNP
        = a1: send a1 bytes=1024 completes
        ! packet 13
      connecting: leave out `modify b1 state=INIT`, and read what the next step says.
        > create a
        > create b
        > modify a1 state=INIT
        > modify a1 state=RTR peer=b1
        > modify b1 state=RTR peer=a1
        = > modify b1 state=RTR peer=a1
        = refused: EINVAL
        ! b1: RESET to
      gap: drop packet 4 instead. Nothing comes behind it that would show the gap, so only the timeout helps.
        > connect a b
        > receive b1 bytes=1024
        > send a1 bytes=1024
        > packet 4 drop
        > run
        = packet 4: lost
        = a1: goes back to PSN 0 (ack_timeout)
        = b1: receive b1 bytes=1024 completes, 1024 bytes
        ! NAK
      lost-ack: send two messages and drop only the first ACK. The second ACK acknowledges both.
        > connect a b timeout=10
        > receive b1
        > receive b1
        > send a1 text=hello
        > send a1 text=again
        > step
        > packet 3 drop
        > run
        = packet 3: b > a RC Acknowledge QP 0xa70e47 PSN 0
        = packet 3: lost
        = packet 4: b > a RC Acknowledge QP 0xa70e47 PSN 1
        = a1: send a1 text=hello completes
        = a1: send a1 text=again completes
        ! goes back
      lost-read-response: `connect a b max_rd_atomic=2 max_dest_rd_atomic=2` and two READs at once, and drop a response of the first.
        > connect a b max_rd_atomic=2 max_dest_rd_atomic=2
        > read a1 at=0 into=1024 bytes=1024
        > read a1 at=1024 into=2048 bytes=1024
        > step
        > packet 4 drop
        > run
        = packet 1: a > b RC RDMA READ Request
        = packet 2: a > b RC RDMA READ Request
        = packet 4: b > a RC RDMA READ Response Middle
        = packet 4: lost
        = a1: goes back to PSN 1 (response_gap)
        = a1: read a1 into=1024 bytes=1024 completes
        = a1: read a1 at=1024 into=2048 bytes=1024 completes
      retry-exhausted: `port b up` after the first timeout. Any acknowledgement gives all retries back.
        > connect a b timeout=8 retry_cnt=2
        > receive b1
        > receive b1
        > send a1 text=hello
        > send a1 text=again
        > packet 1 drop
        > packet 2 drop
        > port b down
        > run for=1060us
        > port b up
        > run
        = a1: goes back to PSN 0 (ack_timeout)
        = b: event PORT_ACTIVE
        = a1: send a1 text=hello completes
        = a1: send a1 text=again completes
        ! fails
        # a1 has 2 retries left
      rnr: `connect a b rnr_retry=2` and no receive at all
        > connect a b rnr_retry=2
        > send a1 text=hello
        > run
        = RNR NAK
        = RNR NAK
        = RNR NAK
        = a1: gives up:
        = a1: send a1 text=hello fails: wr_id=2 RNR_RETRY_EXC_ERR
        ! completes
      rnr: `connect a b min_rnr_timer=1`, which waits 10 µs.
        > connect a b min_rnr_timer=1
        > send a1 text=hello
        > step times=2
        > receive b1
        > run
        = 10.800 us  packet 2: arrives at a
        = 20.800 us  packet 3: a > b RC SEND Only
        = a1: send a1 text=hello completes
      uc-silence: `write a1 bytes=1024 at=1024` with a lost packet in the middle: some of it is in the peer's memory, and nobody is told.
        > connect a b service=UC
        > send a1 text=12345678 from=0 bytes=8
        > run
        > send a1 text=abcdefgh from=504 bytes=8
        > run
        > write a1 bytes=1024 at=1024
        > packet 4 drop
        > run
        = a1: write a1 bytes=1024 at=1024 completes, 1024 bytes
        = packet 4: lost
        ! fails
        ! event
        ~ b 1024 3132333435363738
        ~ b 1528 0000000000000000
      ud-grh: three devices (`devices: [a, b, c]`), and `send c1 to=b1` beside `send a1 to=b1`.
        > connect a b service=UD
        > connect c b service=UD
        > receive b1 into=0 bytes=64
        > receive b1 into=64 bytes=64
        > send a1 to=b1 text=one
        > send c1 to=b1 text=three
        > run
        = a > b UD SEND Only
        = c > b UD SEND Only
        = b1: receive b1 bytes=64 completes, 43 bytes
        = b1: receive b1 into=64 bytes=64 completes, 45 bytes
      wrong-key: `key a1` before the second WRITE, which tells `a1` the new key
        > connect a b
        > write a1 text=good at=64
        > run
        > register b
        > key a1
        > write a1 text=hello at=64
        > write a1 text=after at=80
        > run
        = a1: write a1 text=hello at=64 completes
        = a1: write a1 text=after at=80 completes
        ! fails
        ~ b 64 68656c6c6f
      wrong-key: `register b rights=read`.
        > connect a b
        > write a1 text=good at=64
        > run
        > register b rights=read
        > key a1
        > write a1 text=hello at=64
        > run
        = b1: refuses:
        = REMOTE_WRITE is needed
        = NAK remote access error
        = a1: write a1 text=hello at=64 fails
        ~ b 64 676f6f64
      xrc: post no receive to queue 1. Its RNR NAK stops the messages to queue 0, too, for they share PSNs.
        > connect a b service=XRC
        > receive b1 queue=0 into=0
        > send a1 text=quotes queue=1
        > send a1 text=orders queue=0
        > run for=400us
        = RNR NAK
        = a1: goes back to PSN 0 (rcvd_rnr_err)
        ! completes
      """;

  private record Try(
      String lesson,
      String words,
      List<String> actions,
      List<String> happens,
      List<String> claims) {
    @Override
    public String toString() {
      return lesson + ": " + words;
    }
  }

  static List<Try> tries() {
    List<Try> all = new ArrayList<>();
    for (String line : ROWS.lines().toList()) {
      if (!line.startsWith("  ")) {
        String[] halves = line.split(": ", 2);
        all.add(
            new Try(halves[0], halves[1], new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
        continue;
      }
      Try row = all.getLast();
      switch (line.charAt(2)) {
        case '>' -> row.actions.add(line.substring(4));
        case '=' -> row.happens.add(line.substring(4));
        default -> row.claims.add(line.substring(2));
      }
    }
    return all;
  }

  /** One that is new needs a row. */
  @Test
  void everyProposalOfTheLessonsIsPlayed() throws IOException {
    List<String> proposed = new ArrayList<>();
    for (String lesson : LessonsTest.names()) {
      String text = Files.readString(LessonsTest.LESSONS.resolve(lesson + ".md"));
      Matcher proposals = Pattern.compile("(?m)^- Try: (.*(?:\n  .*)*)").matcher(text);
      while (proposals.find()) {
        for (String one : proposals.group(1).replaceAll("\n +", " ").split("; or ")) {
          proposed.add(lesson + ": " + one);
        }
      }
      assertEquals(
          text.contains("Try"), proposed.toString().contains(lesson + ": "), lesson + " in order");
    }
    assertEquals(proposed, tries().stream().map(Try::toString).toList());
  }

  @ParameterizedTest
  @MethodSource("tries")
  void itHappensAsTheLessonSays(Try row) {
    Scenario scenario = Scenario.of(row.lesson);
    if (row.words.startsWith("three devices")) {
      scenario = scenario.withDevices("a", "b", "c");
    }
    try (LabSession lab = LabSession.of(scenario)) {
      row.actions.forEach(lab::act);
      String told = lab.transcript();
      int at = 0;
      for (String expected : row.happens) {
        int found = told.indexOf(expected, at);
        assertTrue(
            found >= 0, () -> "not there, or not behind the one before: " + expected + "\n" + told);
        at = found + expected.length();
      }
      row.claims.forEach(claim -> check(claim, told, lab.state()));
    }
  }

  private static void check(String claim, String told, LabState state) {
    String[] words = claim.split(" ");
    switch (words[0]) {
      case "!" -> assertFalse(told.contains(claim.substring(2)), told);
      case "~" -> {
        String memory = device(state, words[1]).memory();
        int at = 2 * Integer.parseInt(words[2]);
        String there = (memory + "0".repeat(2 * 4096)).substring(at, at + words[3].length());
        assertEquals(words[3], there, memory);
      }
      case "#" ->
          assertEquals(
              Integer.parseInt(words[3]),
              device(state, words[1].substring(0, 1))
                  .queuePairs()
                  .getFirst()
                  .window()
                  .retriesLeft());
      default -> throw new AssertionError(claim);
    }
  }

  private static LabState.DeviceState device(LabState state, String name) {
    return state.devices().stream().filter(d -> d.name().equals(name)).findFirst().orElseThrow();
  }
}
