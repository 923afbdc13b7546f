package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.fabric.LinkModel;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
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
    Faults faults = Faults.parse(text);
    assertEquals(new Faults(LinkModel.parse(text), FaultPlan.NONE.rules(), List.of()), faults);
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
        new Faults(LinkModel.PERFECT, FaultPlan.parse(text).rules(), List.of()),
        Faults.parse(text));
  }

  @Test
  @EmulatedRdma(faults = "refuse=ENOMEM call=allocPd nth=2; loss=1%")
  void contextsOfTheFirstDeviceFailAtTheVerbs(Context first, Context second) {
    first.allocPd().close();
    VerbsException e = assertThrows(VerbsException.class, first::allocPd);
    assertEquals(Errno.ENOMEM, e.errno());
    second.allocPd().close();
    second.allocPd().close();
  }

  @Test
  void bothMayStandTogether() {
    Faults faults = Faults.parse("loss=1%; drop nth=3; delay=5us\n mark-ecn every=2");
    assertEquals(LinkModel.PERFECT.withLoss(0.01).withDelayNs(5_000), faults.links());
    assertEquals(FaultPlan.parse("drop nth=3; mark-ecn every=2").rules(), faults.plan());
  }

  @Test
  void aPortSuffersAtEachDeviceWhatTheLinksDoAndAtTheFirstTheRules() {
    Faults faults = Faults.parse("loss=1% reorder=0.5; drop nth=3");
    String links =
        "drop direction=out probability=0.01;"
            + " delay=1ns jitter=19999ns direction=out probability=0.5";
    assertEquals(FaultPlan.parse("seed=7; drop nth=3; " + links), faults.onPort(0, 7));
    assertEquals(FaultPlan.parse("seed=8; " + links), faults.onPort(1, 7));
  }
}
