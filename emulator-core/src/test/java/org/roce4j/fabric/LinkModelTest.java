package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.fabric.LinkModel.Option;
import org.roce4j.port.fault.FaultDirection;

/** The fault rules that the options of a link stand for. */
class LinkModelTest {
  private static final LinkModel EVERYTHING =
      LinkModel.parse("loss=1 burst-enter=1 duplicate=1 reorder=1 corrupt=1")
          .withBandwidth(1_000_000_000);

  @ParameterizedTest
  @EnumSource
  void theLeastOfAnOptionAndOneMoreHaveRules(Option option) {
    boolean probability = option.quantity() == null;
    for (int value = option == Option.CORRUPT_BITS ? 1 : 0; value < 2; value++) {
      String printed = probability ? "" + value : option.quantity().print(value);
      String text = EVERYTHING + " " + option.key() + "=" + printed;
      assertFalse(LinkModel.parse(text).rules().isEmpty(), text);
    }
  }

  /** Covers all options, each with an unusual value. */
  @Test
  void aLinkThatIsHealedKeepsItsWayAndHasNoFault() {
    String way = "delay=5us jitter=3us bandwidth=1G";
    String faults =
        " queue=65536 loss=0.1 burst-enter=0.2 burst-leave=0.3 burst-loss=0.4 duplicate=0.5"
            + " reorder=0.6 reorder-delay=7us corrupt=0.8 corrupt-bits=9";
    LinkModel model = LinkModel.parse(way + faults);
    for (Option option : Option.values()) {
      assertTrue(model.toString().contains(option.key() + "="), option + " of " + model);
    }
    assertEquals(LinkModel.parse(way).toString(), model.healed().toString());
  }

  /** A port has the usual delay anyway. */
  @Test
  void aPortHasTheRulesThatAreNotUsualAndOnTheWayOut() {
    assertEquals(List.of(), LinkModel.PERFECT.rulesOfPort());
    assertEquals(1, LinkModel.PERFECT.withDelayNs(1).rulesOfPort().size());
    assertEquals(EVERYTHING.rules().size() - 1, EVERYTHING.rulesOfPort().size());
    EVERYTHING
        .rulesOfPort()
        .forEach(rule -> assertEquals(FaultDirection.OUT, rule.matcher().direction()));
  }
}
