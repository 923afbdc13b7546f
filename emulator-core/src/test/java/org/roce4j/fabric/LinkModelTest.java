package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.fabric.LinkModel.Option;
import org.roce4j.options.Word;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.verbs.Errno;

/** The fault rules of a link's options. */
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

  @ParameterizedTest
  @EnumSource
  void anOptionTellsTheValuesThatItTakes(Option option) {
    boolean probability = option.quantity() == null;
    for (long value : new long[] {option.least(), option.most()}) {
      String text = option.key() + "=" + (probability ? value : option.quantity().print(value));
      assertTrue((LinkModel.parse(text) + " ").contains(text), text);
    }
    for (long value : new long[] {option.least() - 1, option.most() + 1}) {
      String text = option.key() + "=" + (probability ? value : option.quantity().print(value));
      refused(Errno.EINVAL, () -> LinkModel.parse(text));
    }
  }

  @Test
  void eachChangeIsThatOfItsOption() {
    LinkModel link = LinkModel.PERFECT;
    assertEquals("delay=5us", link.withDelayNs(5_000).changes());
    assertEquals("jitter=5us", link.withJitterNs(5_000).changes());
    assertEquals("bandwidth=5G", link.withBandwidth(5_000_000_000L).changes());
    assertEquals("queue=5", link.withQueueBytes(5).changes());
    assertEquals("loss=0.5", link.withLoss(0.5).changes());
    assertEquals(
        "burst-enter=0.5 burst-leave=0.75 burst-loss=0.125",
        link.withBurst(0.5, 0.75, 0.125).changes());
    assertEquals("duplicate=0.5", link.withDuplicate(0.5).changes());
    assertEquals("reorder=0.5 reorder-delay=5us", link.withReorder(0.5, 5_000).changes());
    assertEquals("corrupt=0.5 corrupt-bits=5", link.withCorrupt(0.5, 5).changes());
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

  /** Held back by 1 ns to the delay, both inclusive. */
  @Test
  void theLeastDelayOfReorderingIsExact() {
    assertEquals(
        "delay=1ns", LinkModel.parse("reorder=1 reorder-delay=1ns").rules().getLast() + "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"speed=5", "loss", "loss=2", "delay=11s", "corrupt-bits=0"})
  void whatIsNoOptionOfALinkIsRefused(String text) {
    refused(Errno.EINVAL, () -> LinkModel.parse(text));
  }

  @Test
  void aNumberOutOfItsRangeIsRefused() {
    refused(Errno.EINVAL, () -> LinkModel.PERFECT.withLoss(1.01));
    refused(Errno.EINVAL, () -> LinkModel.PERFECT.withCorrupt(-0.1, 1));
    refused(Errno.EINVAL, () -> LinkModel.PERFECT.withDuplicate(Double.NaN));
    refused(Errno.EINVAL, () -> LinkModel.PERFECT.withDelayNs(LinkModel.MAX_DELAY_NS + 1));
    refused(Errno.EINVAL, () -> LinkModel.PERFECT.withQueueBytes(-1));
  }

  @Test
  void modelsAreEqualIfAllTheirOptionsAre() {
    LinkModel model = LinkModel.parse("loss=0.5");
    assertEquals(LinkModel.PERFECT.withLoss(0.5), model);
    assertEquals(LinkModel.PERFECT.withLoss(0.5).hashCode(), model.hashCode());
    assertNotEquals(LinkModel.PERFECT, model);
    assertNotEquals(model, (Object) "loss=0.5");
  }

  @Test
  void onlyWhatIsNotUsualIsAChange() {
    assertEquals("", LinkModel.PERFECT.changes());
    String changes = "delay=3us loss=0.25";
    assertEquals(changes, LinkModel.parse(changes + " jitter=0").changes());
  }

  @Test
  void wordsOfALinkAreItsOptionsWithValues() {
    assertTrue(LinkModel.isMeant(Word.line("delay=3us corrupt-bits=99")));
    assertFalse(LinkModel.isMeant(Word.line("delay=3us loss")));
    assertFalse(LinkModel.isMeant(Word.line("delay=3us drop=1")));
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

  /**
   * An option without a rule, or with a rule that changes nothing, is reported with what it needs.
   */
  @ParameterizedTest
  @CsvSource({
    "delay=0, ''",
    "jitter=1us, ''",
    "bandwidth=1G, ''",
    "queue=64KiB, queue=bandwidth",
    "queue=64KiB bandwidth=1G, ''",
    "loss=1%, ''",
    "burst-enter=1%, ''",
    "burst-leave=50%, burst-leave=burst-enter",
    "burst-loss=50%, burst-loss=burst-enter",
    "burst-leave=50% burst-loss=50% burst-enter=1%, ''",
    "duplicate=1%, ''",
    "reorder=1%, ''",
    "reorder-delay=1ms, reorder-delay=duplicate or reorder",
    "reorder-delay=1ms duplicate=1%, ''",
    "reorder-delay=1ms reorder=1%, ''",
    "reorder-delay=0 duplicate=1%, ''",
    "reorder-delay=0 reorder=1%, reorder=reorder-delay",
    "reorder-delay=0 reorder=1% duplicate=1%, reorder=reorder-delay",
    "corrupt=1%, ''",
    "corrupt-bits=5, corrupt-bits=corrupt",
    "corrupt-bits=5 corrupt=1%, ''",
  })
  void anOptionThatChangesNothingIsTold(String text, String told) {
    LinkModel model = LinkModel.parse(text);
    String found =
        model.idle().stream()
            .map(line -> line.replaceFirst("=.* changes nothing without (.*)\\.$", "=$1"))
            .collect(Collectors.joining("; "));
    assertEquals(told, found, model.idle()::toString);
  }

  /** Without the options that are told, all rules of a random link stay. */
  @Test
  void whatIsToldChangesNoRule() {
    SplittableRandom draw = new SplittableRandom(1);
    for (int round = 0; round < 1000; round++) {
      List<String> words =
          Stream.of(
                  "bandwidth=1G",
                  "queue=64KiB",
                  "burst-enter=0.1",
                  "burst-leave=0.5",
                  "burst-loss=0.5",
                  "duplicate=0.1",
                  "reorder=0.1",
                  "reorder-delay=0",
                  "corrupt=0.1",
                  "corrupt-bits=5",
                  "loss=0.1")
              .filter(word -> draw.nextBoolean())
              .toList();
      LinkModel model = LinkModel.parse(String.join(" ", words));
      for (String word : words) {
        String key = word.substring(0, word.indexOf('=') + 1);
        boolean told = model.idle().stream().anyMatch(line -> line.startsWith(key));
        String others =
            words.stream().filter(each -> !each.equals(word)).collect(Collectors.joining(" "));
        assertEquals(told, LinkModel.parse(others).rules().equals(model.rules()), word + model);
      }
    }
  }
}
