package org.roce4j.tools.explore.search;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.Faults;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultReport.Hit;
import org.roce4j.port.fault.FaultReport.Traffic;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.wire.Opcode;

/** The replacements of a rule, in the order in which they are tried. */
class SimplerRulesTest {
  private static final Traffic SENT = new Traffic(FaultDirection.OUT, Opcode.RC_SEND_ONLY.code());

  private static List<String> simpler(String rule, List<Hit> hits) {
    FaultRule parsed = Faults.parse("seed=1; " + rule).packets().getFirst();
    return SimplerRules.of(parsed, hits).stream()
        .map(each -> each.stream().map(FaultRule::toString).collect(Collectors.joining(" + ")))
        .toList();
  }

  private static List<String> words(String expected) {
    return expected.isEmpty() ? List.of() : Arrays.asList(expected.split("; "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "drop nth=1 | ''",
        "drop nth=3 | drop nth=1; drop nth=2",
        "drop nth=9 | drop nth=1; drop nth=5; drop nth=7; drop nth=8",
        "drop first=3 times=5 | drop first=3 times=5; drop first=5 times=3; drop nth=3; "
            + "drop first=3 times=3; drop first=3 times=4; drop times=5; drop first=2 times=5",
        "drop times=2 | drop times=2; drop nth=2; drop nth=1",
        "drop | drop times=65; drop first=33 times=33; drop nth=1; drop times=33; "
            + "drop times=49; drop times=57; drop times=61; drop times=63; drop times=64",
        "drop every=3 times=4 | drop every=3 times=4; drop first=7 every=3 times=2; "
            + "drop nth=1; drop every=3 times=3",
        "drop state=repeated nth=2 | drop nth=2; drop state=repeated nth=1",
        "duplicate=3 nth=1 | drop nth=1; duplicate nth=1; duplicate=2 nth=1",
        "reorder=4 nth=1 | drop nth=1; reorder nth=1; reorder=3 nth=1",
        "corrupt=4 nth=1 | drop nth=1; corrupt=1 nth=1; corrupt nth=1",
        "delay=3ms nth=1 | drop nth=1; delay=1us nth=1; delay=300us nth=1; " + "delay=1500us nth=1",
        "delay=1us nth=1 | drop nth=1",
        "corrupt-icrc nth=1 | drop nth=1",
        "mark-ecn nth=1 | ''",
        "forge-rnr nth=1 | ''",
        "forge-ack nth=1 | ''",
        "forge-nak nth=1 | ''",
        "forge-cnp nth=1 | ''",
        "blackhole=4us nth=1 | drop nth=1; blackhole=1us nth=1; blackhole=2us nth=1",
        "rate=1M nth=1 | ''",
        "burst nth=1 | drop nth=1",
        "burst leave=10% nth=1 | drop nth=1; burst nth=1",
      })
  void aRuleOfDatagramsBecomes(String rule, String expected) {
    assertEquals(words(expected), simpler(rule, List.of()));
  }

  private static List<Hit> hits(int count) {
    List<Hit> hits = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      hits.add(new Hit(0, SENT, 30 + i, 5 + 2 * i));
    }
    return hits;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | drop probability=10% | drop direction=out opcode=RC_SEND_ONLY nth=30 + "
            + "drop direction=out opcode=RC_SEND_ONLY nth=31; "
            + "drop first=5 times=3 probability=0.1; drop first=6 times=2 probability=0.1; "
            + "drop nth=1 probability=0.1; drop times=2 probability=0.1",
        "2 | delay=1us probability=10% | drop probability=0.1; "
            + "delay=1us direction=out opcode=RC_SEND_ONLY nth=30 + "
            + "delay=1us direction=out opcode=RC_SEND_ONLY nth=31; "
            + "delay=1us first=5 times=3 probability=0.1; "
            + "delay=1us first=6 times=2 probability=0.1; delay=1us nth=1 probability=0.1; "
            + "delay=1us times=2 probability=0.1",
        "2 | blackhole=1us nth=1 | drop nth=1; "
            + "drop direction=out opcode=RC_SEND_ONLY nth=30 + "
            + "drop direction=out opcode=RC_SEND_ONLY nth=31",
        "3 | drop times=2 | drop direction=out opcode=RC_SEND_ONLY nth=30 + "
            + "drop direction=out opcode=RC_SEND_ONLY nth=31 + "
            + "drop direction=out opcode=RC_SEND_ONLY nth=32; drop first=5 times=2; "
            + "drop nth=6; drop nth=1",
        "17 | drop every=2 | drop first=5 every=2 times=17; "
            + "drop first=21 every=2 times=9; drop nth=1; drop every=2 times=9; "
            + "drop every=2 times=13; drop every=2 times=15; drop every=2 times=16",
      })
  void whatItWasAppliedToIsNamed(int hits, String rule, String expected) {
    assertEquals(words(expected), simpler(rule, hits(hits)));
  }

  @Test
  void asManyAsSixteenAreNamed() {
    assertEquals(16, simpler("drop", hits(16)).getFirst().split(" \\+ ").length);
    assertEquals("drop first=5 times=33", simpler("drop", hits(17)).getFirst());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "late=50us nth=9 | late=1us nth=9; late=5us nth=9; late=25us nth=9; "
            + "late=50us nth=1; late=50us nth=5; late=50us nth=7; late=50us nth=8",
        "late=1us times=4 | late=1us nth=1; late=1us times=3",
        "refuse=ENOMEM call=modify nth=3 | refuse=ENOMEM call=modify nth=1; "
            + "refuse=ENOMEM call=modify nth=2",
        "refuse=ENOMEM call=modify | refuse=ENOMEM call=modify nth=1",
        "fail=RETRY_EXC_ERR nth=2 | fail=RETRY_EXC_ERR nth=1",
      })
  void aRuleOfTheVerbsBecomes(String rule, String expected) {
    assertEquals(
        words(expected),
        SimplerRules.of(Faults.parse("seed=1; " + rule).verbs().getFirst()).stream()
            .map(Object::toString)
            .toList());
  }
}
