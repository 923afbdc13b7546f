package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.fabric.LinkModel;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

class FaultsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "loss=1%",
        "duplicate=5% reorder=10%",
        "corrupt=0.1%",
        "delay=10us",
        "delay=10us jitter=2us bandwidth=10G"
      })
  void optionsOfALinkAloneAreAboutEveryWay(String text) {
    Faults faults = Faults.ofWays(text);
    assertEquals(new Faults(0, LinkModel.parse(text), FaultPlan.NONE.rules(), List.of()), faults);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop",
        "corrupt-payload=4",
        "drop direction=out opcode=RC_SEND_ONLY nth=3",
        "delay=1ms every=100",
        "loss=1% opcode=RC_ACKNOWLEDGE"
      })
  void anyOtherPartIsARuleAtTheFirstDevice(String text) {
    assertEquals(
        new Faults(0, LinkModel.PERFECT, FaultPlan.parse(text).rules(), List.of()),
        Faults.ofWays(text));
  }

  @Test
  void bothMayStandTogether() {
    Faults faults = Faults.ofWays("loss=1%; drop nth=3; delay=5us\n mark-ecn every=2");
    assertEquals(LinkModel.PERFECT.withLoss(0.01).withDelayNs(5_000), faults.links());
    assertEquals(FaultPlan.parse("drop nth=3; mark-ecn every=2").rules(), faults.packets());
  }

  @Test
  void aPortSuffersAtEachDeviceWhatTheLinksDoAndAtTheFirstTheRules() {
    Faults faults = Faults.ofWays("loss=1% reorder=0.5; drop nth=3");
    String links =
        "drop direction=out probability=0.01;"
            + " delay=1ns jitter=19999ns direction=out probability=0.5";
    assertEquals(FaultPlan.parse("seed=7; drop nth=3; " + links), faults.withSeed(7).ofPort(0));
    assertEquals(FaultPlan.parse("seed=8; " + links), faults.withSeed(7).ofPort(1));
  }

  @Test
  void anotherSeedIsThatOfFaultsAtTheVerbsToo() {
    String rules = "links loss=1%; drop nth=3; refuse=EIO call=allocPd";
    assertEquals(Faults.parse("seed=7; " + rules), Faults.parse(rules).withSeed(7));
  }

  @Test
  void onALineLinksSayThatTheyAre() {
    assertEquals(FaultPlan.parse("loss=1%").rules(), Faults.parse("loss=1%").packets());
    assertEquals(LinkModel.parse("loss=1%"), Faults.parse("links loss=1%").links());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "links loss=1% loss=2% | loss=2%: loss=1% is there already",
        "links loss=1%; links loss=2% | loss=2%: loss=1% is there already",
        "refuze=EIO | 'refuze=EIO' is no fault; there are: rate burst drop",
        "refuze=EIO | at the verbs: refuse late fail",
        "links=3 loss=1% | links=3: the options of the links follow, such as loss=1%",
      })
  void whatCannotBeIsRefused(String text, String why) {
    VerbsException e = assertThrows(VerbsException.class, () -> Faults.parse(text));
    assertTrue(e.remedy().contains(why), e.remedy());
  }

  @Test
  void aPlanChangesOnlyWhatItMentions() {
    DeviceOptions options = DeviceOptions.of("any", Gid.parse("10.0.0.1"));
    RdmaDevice device = Emulator.device(options);
    for (String text : List.of("", "drop nth=3", "links loss=1%", "refuse=EIO call=allocPd")) {
      Faults faults = Faults.parse(text);
      boolean verbs = text.startsWith("refuse");
      boolean packets = !verbs && !text.isEmpty();
      assertEquals(packets, faults.meansPackets(), text);
      assertEquals(packets, !faults.atPort(options, 0).equals(options), text);
      assertEquals(text.startsWith("links"), !faults.atPort(options, 1).equals(options), text);
      assertEquals(verbs, faults.atVerbs(device, System::nanoTime) != device, text);
      assertEquals(
          text.isEmpty() ? 0 : 1,
          faults.explain().size() - (text.startsWith("links") ? 1 : 0),
          text);
    }
  }

  @Test
  void aSeedStandsBesideTheRules() {
    Faults faults = Faults.parse("seed=7; drop nth=3");
    assertEquals(7, faults.seed());
    assertEquals(FaultPlan.parse("drop nth=3").rules(), faults.packets());
  }

  @Test
  void anOptionThatChangesNothingIsTold() {
    assertEquals(
        List.of(
            "On every way: of all datagrams, each: it arrives 2us later, never before one that was"
                + " sent earlier.",
            "On every way: queue=64KiB changes nothing without bandwidth.",
            "On every way: burst-leave=0.5 changes nothing without burst-enter.",
            "On every way: reorder-delay=1ms changes nothing without duplicate or reorder.",
            "On every way: corrupt-bits=5 changes nothing without corrupt."),
        Faults.parse("links queue=64KiB burst-leave=50% reorder-delay=1ms corrupt-bits=5")
            .explain());
    assertEquals(
        2, Faults.parse("links queue=64KiB bandwidth=1G").explain().size(), "rate and latency");
  }

  @Test
  void aPlanIsExplained() {
    assertEquals(
        List.of(
            "On every way: of all datagrams, each, with a probability of 1%: it is lost.",
            "On every way: of all datagrams, each: it arrives 5us later, never before one that was"
                + " sent earlier.",
            "Of all datagrams, the 3rd: it is lost.",
            "Of the calls of postSend that have a request 2, the 1st: that request is refused with"
                + " ENOMEM, those before it are posted.",
            "Of all completions of queue pair 0x000011, every 2nd: it comes with status"
                + " RETRY_EXC_ERR, and its queue pair goes to ERR."),
        Faults.parse(
                "links loss=1% delay=5us; refuse=ENOMEM call=postSend index=2 nth=1; drop nth=3;"
                    + " fail=RETRY_EXC_ERR qpn=17 every=2")
            .explain());
  }
}
