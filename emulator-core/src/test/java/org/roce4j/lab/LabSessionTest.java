package org.roce4j.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Bytes;

class LabSessionTest {
  @Test
  void aMessageArrivesPacketByPacket() {
    try (LabSession lab = play("connect a b", "receive b1 into=512", "send a1 text=hello")) {
      assertEquals(1, lab.state().underWay().size());
      assertEquals("", device(lab, 1).memory());
      assertEquals(List.of("send a1 text=hello"), end(lab, 0).sends());
      assertEquals(lab.packets().getFirst().endNs(), lab.state().nextNs());

      lab.act("step");
      assertEquals(LabPacket.Stage.ARRIVED, lab.packets().getFirst().fate());
      assertTrue(device(lab, 1).memory().endsWith("0068656c6c6f"), device(lab, 1).memory());
      assertEquals(1, end(lab, 1).window().expected());
      assertEquals(List.of(), end(lab, 1).receives());
      assertEquals(0, end(lab, 0).window().oldestUnacknowledged());

      lab.act("step");
      assertEquals(List.of(), end(lab, 0).sends());
      assertEquals(1, end(lab, 0).window().oldestUnacknowledged());
      assertEquals(Deadlines.NEVER, lab.state().nextNs());
    }
  }

  /** Each field, while the packet is under way and afterwards. */
  @Test
  void aPacketTellsItsWay() {
    try (LabSession lab = play("connect a b", "run for=1ms", "receive b1", "send a1 text=hello")) {
      long arrivalNs = lab.state().nextNs();
      assertEquals("1 a > b 1000000 " + arrivalNs + " UNDER_WAY '' 0", way(lab, 0));
      lab.act("packet 1 duplicate");
      assertEquals("2 a > b 1000000 " + arrivalNs + " UNDER_WAY '' 1", way(lab, 1));
      lab.act("run");
      assertEquals("1 a > b 1000000 " + arrivalNs + " ARRIVED 'duplicated' 0", way(lab, 0));
      LabPacket answer = lab.packets().get(2);
      assertEquals("3 b > a " + arrivalNs + " " + answer.endNs() + " ARRIVED '' 0", way(lab, 2));
      assertTrue(answer.endNs() > arrivalNs);
      assertTrue(lab.transcript().contains("packet 3: b > a RC Acknowledge"), lab.transcript());
    }
  }

  private static String way(LabSession lab, int index) {
    LabPacket packet = lab.packets().get(index);
    return "%d %s > %s %d %d %s '%s' %d"
        .formatted(
            packet.number(),
            packet.from(),
            packet.to(),
            packet.sentNs(),
            packet.endNs(),
            packet.fate(),
            packet.comment(),
            packet.copyOf());
  }

  @Test
  void noReceiveIsAnRnrNakUntilOneIsPosted() {
    try (LabSession lab = play("connect a b", "send a1 text=hello", "step times=2")) {
      PsnWindow window = end(lab, 0).window();
      assertEquals(PsnWindow.STOPPED, window.ackTimerNs());
      assertEquals(window.rnrTimerNs(), lab.state().nextNs());
      assertEquals(0, window.nextToSend());
      assertEquals(1, window.neverSent());
      lab.act("receive b1");
      lab.act("run");
      assertTrue(lab.transcript().contains("a1: send a1 text=hello completes"), lab.transcript());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "drop | packet 2: lost",
        "delay=1ms | packet 2: held back for 1ms",
        "duplicate | packet 3: a copy of packet 2",
        "corrupt-icrc | a: drops a packet (icrc_err)",
        "mark-ecn | packet 2: arrives at a"
      })
  void theAnswerMeetsAFaultAndTheRequestCompletesOnce(String fault, String happens) {
    try (LabSession lab =
        play("connect a b timeout=10", "receive b1", "send a1 text=hello", "step")) {
      lab.act("packet 2 " + fault);
      lab.act("run");
      assertTrue(lab.transcript().contains(happens), lab.transcript());
      assertEquals(1, lab.transcript().lines().filter(l -> l.contains("hello completes")).count());
      assertEquals(
          1, lab.transcript().lines().filter(l -> l.contains("b1 bytes=64 completes")).count());
    }
  }

  @Test
  void aRunLastsItsTimeWhateverHappens() {
    try (LabSession lab = play("connect a b timeout=31", "run for=3ms")) {
      assertEquals(3_000_000, lab.state().nowNs());
      lab.act("send a1 text=hello");
      lab.act("run for=2ms");
      assertEquals(5_000_000, lab.state().nowNs());
    }
  }

  @Test
  void whatIsDamagedUnderWayIsShownDamaged() {
    try (LabSession lab = play("connect a b", "send a1 text=hello")) {
      Bytes sent = lab.packets().getFirst().bytes();
      lab.act("packet 1 corrupt=8");
      assertNotEquals(sent, lab.packets().getFirst().bytes());
    }
  }

  /** A NAK shows its sender's state when it leaves, and its receiver's when it arrives. */
  @Test
  void aPacketTellsItsReceiverNothingBeforeItArrives(@TempDir Path directory) throws IOException {
    try (LabSession lab = play("connect a b", "register b", "write a1 text=hello", "step")) {
      assertEquals(LabPacket.Stage.UNDER_WAY, lab.packets().getLast().fate());
      assertEquals(List.of("right " + lab.packets().getFirst().endNs()), errors(lab, directory));
      lab.act("step");
      assertEquals(
          List.of(
              "right " + lab.packets().getFirst().endNs(),
              "left " + lab.packets().getLast().endNs()),
          errors(lab, directory));
    }
  }

  /** The ends and times at which packets show that a queue pair is in ERR. */
  private static List<String> errors(LabSession lab, Path directory) throws IOException {
    Path log = directory.resolve("events.json");
    lab.view().writeLog(log);
    Pattern told =
        Pattern.compile(
            "\"time\":(\\d+),\"name\":\"transport:state_told\",\"data\":\\{\"end\":\"(\\w+)\".*\"state\":\"ERR\"");
    return told.matcher(Files.readString(log))
        .results()
        .map(found -> found.group(2) + " " + found.group(1))
        .toList();
  }

  @Test
  void aStateIsDrawnWhereItsTimeIs() {
    try (LabSession lab = play("connect a b", "run for=1ms", "modify b1 state=ERR")) {
      String page = lab.view().page();
      assertTrue(page.contains("\"INIT, RTR, RTS\""), "states of one time are one");
      assertTrue(!page.contains("RTS, ERR"), "a later state stands apart");
    }
  }

  @Test
  void backIsAsIfTheLastActionHadNotBeen() {
    try (LabSession lab = play("connect a b", "receive b1", "send a1 text=hello", "step")) {
      String before = lab.transcript();
      LabState state = lab.state();
      lab.act("packet 2 drop");
      lab.act("run");
      lab.back();
      lab.back();
      assertEquals(before, lab.transcript());
      assertEquals(state, lab.state());
      lab.act("run");
      assertTrue(lab.transcript().contains("completes"));
      for (int i = 0; i < 10; i++) {
        lab.back();
      }
      assertEquals(List.of(), lab.scenario().actions());
      assertEquals("", lab.transcript());
    }
  }

  /** A network that is closed writes what a plan has met on it. */
  @Test
  void aNetworkThatIsLeftIsClosedAndItsMemoryIsGone(@TempDir Path directory) throws IOException {
    System.setProperty("roce4j.plan-log", directory.toString());
    Path told = directory.resolve(ProcessHandle.current().pid() + ".txt");
    LabSession lab = play("connect a b", "send a1 text=hello");
    try {
      assertTrue(Files.notExists(told));
      lab.back();
      Files.delete(told);
      lab.close();
      Files.delete(told);
      lab.close();
      assertTrue(Files.notExists(told), "a second time changes nothing");
    } finally {
      System.clearProperty("roce4j.plan-log");
    }
    assertThrows(IllegalStateException.class, lab::state);
  }

  @Test
  void whatAVerbRefusesIsToldAndWhatIsNotThereChangesNothing() {
    try (LabSession lab = play("create a", "create b service=UD")) {
      lab.act("modify a1 state=RTR peer=b1");
      assertTrue(lab.transcript().contains("refused: EINVAL"), lab.transcript());
      assertEquals(QpState.RESET, end(lab, 0).state());
      String before = lab.transcript();
      assertThrows(IllegalArgumentException.class, () -> lab.act("send a2"));
      assertThrows(IllegalArgumentException.class, () -> lab.act("create c"));
      assertThrows(IllegalArgumentException.class, () -> lab.act("packet 1 drop"));
      assertThrows(VerbsException.class, () -> lab.act("sned a1"));
      assertEquals(before, lab.transcript());
      assertEquals(3, lab.scenario().actions().size());
    }
  }

  /** Each kind of request to a queue pair whose service lacks an object that the request names. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          XRC | send a1 to=a1           | a1 is XRC_SEND, no target of XRC
          XRC | send a1 to=a2 queue=1   | a2 is RC, no target of XRC
          XRC | modify a1 peer=a2; write a1 text=x | a2 is RC, no target of XRC
          XRC | modify a1 peer=a2; read a1         | a2 is RC, no target of XRC
          XRC | modify a1 peer=a2; fetch_add a1    | a2 is RC, no target of XRC
          RC  | send a1 to=a2           | a1: RC sends to its peer alone
          UC  | send a1 to=b1 text=x    | a1: UC sends to its peer alone
          RC  | send a1 queue=1         | a1 is RC: only XRC has a choice of queues
          UD  | send a1 queue=1         | a1 is UD: only XRC has a choice of queues
          RC  | receive b1 queue=1      | b1 is RC: only XRC has a choice of queues
          UD  | create a service=UD; send a3 text=x  | a3 has no peer yet
          XRC | create a service=XRC; send a3 text=x | a3 has no peer yet
          RC  | write a1 from=4092 text=hello        | text of 5 bytes at 4092: the memory has 4096
          """)
  void whatTheServiceDoesNotHaveIsRefusedAndPlayGoesOn(String service, String actions, String why) {
    try (LabSession lab = play("connect a b service=" + service, "create a")) {
      for (String action : actions.split("; ")) {
        lab.act(action);
      }
      assertTrue(lab.transcript().contains("refused: EINVAL: " + why), lab.transcript());
      assertEquals(0, lab.packets().size());
      assertEquals(2 + actions.split("; ").length, lab.scenario().actions().size());
    }
  }

  @Test
  void whatNamesItsDestinationNeedsNoPeer() {
    try (LabSession lab = play("connect a b service=UD", "create a service=UD", "receive b1")) {
      for (String state : List.of("INIT", "RTR", "RTS")) {
        lab.act("modify a2 state=" + state);
      }
      lab.act("send a2 to=b1 text=hello");
      lab.act("run");
      assertTrue(lab.transcript().contains("receive b1 bytes=64 completes"), lab.transcript());
    }
  }

  @Test
  void aTextMayEndWhereTheMemoryDoes() {
    try (LabSession lab = play("connect a b", "write a1 from=4091 text=hello", "run")) {
      assertEquals("68656c6c6f", device(lab, 1).memory());
    }
  }

  @Test
  void anotherKeyIsUnknownToThePeerUntilItIsTold() {
    try (LabSession lab = play("connect a b", "register b", "write a1 text=hello", "run")) {
      assertTrue(lab.transcript().contains("REM_ACCESS_ERR"), lab.transcript());
      assertEquals(QpState.ERR, end(lab, 0).state());
    }
    try (LabSession lab =
        play("connect a b", "register b", "key a1", "write a1 text=hello", "run")) {
      assertEquals("68656c6c6f", device(lab, 1).memory());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UC | receive b1 | b1: receive b1 bytes=64 completes, 5 bytes",
        "UD | receive b1 bytes=45 | b1: receive b1 bytes=45 completes, 45 bytes",
        "XRC | receive b1 queue=1 | b1: receive b1 bytes=64 queue=1 completes, 5 bytes"
      })
  void everyServiceCarriesAMessage(String service, String receive, String completes) {
    String send = "send a1 text=hello" + (service.equals("XRC") ? " queue=1" : "");
    try (LabSession lab = play("connect a b service=" + service, receive, send, "run")) {
      assertTrue(lab.transcript().contains(completes), lab.transcript());
    }
  }

  @Test
  void aForgedPacketArrivesBeforeThePacketUnderWay() {
    try (LabSession lab =
        play("connect a b", "send b1 text=x", "send a1 text=y", "packet 2 forge-nak=2", "step")) {
      assertTrue(lab.transcript().contains("packet 3: a > b RC Acknowledge"), lab.transcript());
      assertTrue(lab.transcript().contains("NAK remote access error"), lab.transcript());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"RC", "XRC"})
  void atomicsAndReadsBringBackWhatWasThere(String service) {
    try (LabSession lab =
        play(
            "connect a b service=" + service,
            "fetch_add a1 at=8 add=5",
            "run",
            "compare_swap a1 at=8 into=16 compare=5 swap=7",
            "run",
            "read a1 at=8 into=32 bytes=1",
            "run")) {
      assertEquals("00".repeat(8) + "07", device(lab, 1).memory());
      assertEquals("00".repeat(16) + "05" + "00".repeat(15) + "07", device(lab, 0).memory());
    }
  }

  @Test
  void aQueuePairIsToldOnceItIsThere() {
    try (LabSession lab = play("connect a b service=UC", "create a service=UD")) {
      List<LabState.QueuePairState> ends = device(lab, 0).queuePairs();
      for (String words :
          List.of(
              "a1: is UC queue pair 0x%x".formatted(ends.get(0).window().number()),
              "b1: is UC queue pair 0x%x".formatted(end(lab, 1).window().number()),
              "a2: is UD queue pair 0x%x".formatted(ends.get(1).window().number()))) {
        assertTrue(lab.transcript().contains(words), lab.transcript());
      }
      assertEquals("b1 UC", ends.get(0).peer() + " " + ends.get(0).service());
      assertEquals(" UD", ends.get(1).peer() + " " + ends.get(1).service());
    }
  }

  @Test
  void theKeyThatItsPeerWasToldIsShown() {
    try (LabSession lab = play("connect a b")) {
      int told = device(lab, 1).key();
      assertEquals(told, end(lab, 0).key());
      lab.act("register b");
      assertNotEquals(told, device(lab, 1).key());
      assertEquals(told, end(lab, 0).key());
      lab.act("key a1");
      assertEquals(device(lab, 1).key(), end(lab, 0).key());
    }
  }

  @Test
  void aWriteOfUnreliableConnectionsNamesNoQueue() {
    try (LabSession lab = play("connect a b service=UC", "write a1 text=hello", "run")) {
      assertEquals("68656c6c6f", device(lab, 1).memory());
    }
  }

  @Test
  void aPortThatIsDownTakesNothingUntilItIsUp() {
    try (LabSession lab = play("connect a b service=UC", "port b down", "write a1 text=A", "run")) {
      assertEquals("", device(lab, 1).memory());
      List.of("port b up", "write a1 text=B", "run").forEach(lab::act);
      assertEquals("42", device(lab, 1).memory());
    }
  }

  @Test
  void aPacketThatHasArrivedIsNotUnderWay() {
    try (LabSession lab = play("connect a b service=UC", "write a1 text=hello")) {
      assertEquals(1, lab.state().underWay().size());
      lab.act("run");
      assertEquals(List.of(), lab.state().underWay());
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> lab.act("packet 1 drop"));
      assertEquals("packet 1 is not under way: it has arrived", refused.getMessage());
    }
  }

  @Test
  void aPacketThatWasLostIsNotUnderWay() {
    try (LabSession lab = play("connect a b", "run for=1ms", "send a1 text=hello")) {
      lab.act("packet 1 drop");
      assertEquals("1 a > b 1000000 1000000 LOST 'lost' 0", way(lab, 0));
      assertEquals(List.of(), lab.state().underWay());
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> lab.act("packet 1 corrupt-icrc"));
      assertEquals("packet 1 is not under way: it was lost", refused.getMessage());
    }
  }

  @Test
  void whatAPacketMeetsIsItsComment() {
    try (LabSession lab = play("connect a b", "send b1 text=x", "send a1 text=y")) {
      lab.act("packet 1 mark-ecn");
      lab.act("packet 2 forge-nak=2");
      assertEquals("marked CE", lab.packets().get(0).comment());
      assertEquals("forged", lab.packets().get(2).comment());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a,b,c,d,e", "a,a", "a,B", "a,a1", "a,morethaneight"})
  void devicesHaveShortNamesOfTheirOwnAndAreFew(String names) {
    String[] each = names.isEmpty() ? new String[0] : names.split(",");
    Scenario scenario = Scenario.of("test");
    assertThrows(VerbsException.class, () -> scenario.withDevices(each));
    assertEquals(4, scenario.withDevices("a", "b", "c", "eightabc").devices().size());
  }

  @Test
  void whatGoesOnForEverIsStopped() {
    try (LabSession lab = play("connect a b", "send a1 text=hello", "run")) {
      assertTrue(lab.transcript().contains("the run stops after 200 steps"));
    }
  }

  private static LabState.DeviceState device(LabSession lab, int index) {
    return lab.state().devices().get(index);
  }

  private static LabState.QueuePairState end(LabSession lab, int device) {
    return device(lab, device).queuePairs().getFirst();
  }

  private static LabSession play(String... lines) {
    return LabSession.of(Scenario.of("test").then(lines));
  }
}
