package org.roce4j.plans;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.Faults;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

class YamlRulesTest {
  private static final String PLAN =
      "seed=7; drop direction=out opcode=RC_SEND_LAST nth=3;"
          + " delay=1ms jitter=500us probability=10%; rate=1G queue=64KiB qpn=0x11";

  @TempDir private Path directory;

  private String file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  @Test
  void keysAndValuesAreTheWordsOfALine() throws IOException {
    String yaml =
        """
        description: as in the document
        seed: 7
        rules:
          - drop:
            direction: out
            opcode: RC_SEND_LAST
            nth: 3
          - {delay: 1ms, jitter: 500us, probability: 10%}
          - rate=1G queue=64KiB qpn=0x11
        """;
    assertEquals(FaultPlan.parse(PLAN), FaultPlan.parse(file("plan.yaml", yaml)));
  }

  @Test
  void jsonIsReadToo() throws IOException {
    String json =
        """
        {"seed": 7, "rules": [
          {"drop": null, "direction": "out", "opcode": "RC_SEND_LAST", "nth": 3},
          {"delay": "1ms", "jitter": "500us", "probability": 0.1},
          {"rate": "1G", "queue": "64KiB", "qpn": 17}]}
        """;
    assertEquals(FaultPlan.parse(PLAN), FaultPlan.parse(file("plan.json", json)));
  }

  @Test
  void linksDatagramsAndVerbsStandInOneFile() throws IOException {
    String yaml =
        """
        seed: 7
        links:
          loss: 1%
          delay: 5us
          bandwidth: 10G
        rules:
          - drop:
            nth: 3
          - refuse: ENOMEM
            call: registerMemory
        """;
    Faults faults = Faults.parse(file("plan.yaml", yaml));
    String line =
        "seed=7; links loss=1% delay=5us bandwidth=10G; drop nth=3; refuse=ENOMEM"
            + " call=registerMemory";
    assertEquals(Faults.parse(line), faults);
    assertEquals(faults, Faults.parse(faults.toString()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          links:#  lose: 1% | 2:3: 'lose=1%' is no option of a link; it has:
          links:#  loss: 101% | 2:3: loss=101%
          links:#  loss: 1%#  loss: 2% | 3:3: 'loss' stands here twice
          links: loss=1% | 1:8: links have options, such as loss: 1%
          rules:#  - refuse: ENOPE | 2:5: refuse=ENOPE: give an errno such as
          rules:#~- drop | that cannot start any token. (Do not use
          rules:#  - drop:#    nth: 3#    times: 2 | 4:5: times=2: nth=3 is there already
          rules:#  - drop:#  - fail: SUCCESS | 3:5: fail=SUCCESS: give a status
          rules:#  - late: 1ms#    call: poll | 3:5: call=poll: late is not about calls
          rules:#  - refuse: EIO#    call: open#    index: 1 | 4:5: index is of a request in a list
          rules:#  - refuse: EIO#    qpn: 17#    call: registerMemory | 4:5: nothing has call=registerMemory and qpn
          rules:#  - lose-event: CQ_ERR#    qpn: 17 | 3:5: nothing has event CQ_ERR and qpn
          rules:#  - lose-event: WQ_FATAL | 2:5: no program has a work queue
          rules:#  - drop:#    opcode: CNP#    state: repeated | 4:5: no datagram has state=repeated and opcode=CNP
          """)
  void whatCannotBeOfAWholePlanIsRefusedWithItsPlace(String yaml, String words) throws IOException {
    String file = file("plan.yaml", yaml.replace('#', '\n').replace('~', '\t'));
    VerbsException e = assertThrows(VerbsException.class, () -> Faults.parse(file));
    assertTrue(e.remedy().startsWith(file + ":"), e.remedy());
    assertTrue(e.remedy().contains(words), e.remedy());
  }

  @Test
  void aPlanOfDatagramsHasNoLinks() throws IOException {
    String file = file("plan.yaml", "links:\n  loss: 1%\n");
    VerbsException e = assertThrows(VerbsException.class, () -> FaultPlan.parse(file));
    assertTrue(e.remedy().startsWith(file + ":1:1: links: this is a plan of one"), e.remedy());
  }

  @Test
  void anEmptyFileIsAPlanWithoutFaults() throws IOException {
    assertEquals(FaultPlan.NONE, FaultPlan.parse(file("plan.yml", "# nothing yet\n")));
  }

  /** What can be written in several ways. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "rules:\n  - |\n    drop nth=1\n    drop nth=2\n",
        "rules:\n  - drop nth=1; drop nth=2\n",
        "rules:\n  - drop: \"\"\n    nth: 1\n  - drop:\n    nth: 2\n",
        "rules:\n  - {drop: , nth: 1}\n  - {drop: null, nth: 2}\n",
        "$schema: https://example.com/plan.json\n"
            + "description: two\n"
            + "rules: [drop nth=1, drop nth=2]\n",
        "{\"$schema\": \"x\", \"rules\": [{\"drop\": \"\", \"nth\": 1}, \"drop nth=2\"]}",
      })
  void twoRulesAreTwoHoweverTheyAreWritten(String yaml) throws IOException {
    FaultPlan plan = FaultPlan.parse("drop nth=1; drop nth=2");
    assertEquals(plan, FaultPlan.parse(file("plan.yaml", yaml)));
  }

  @Test
  void bytesThatAreNoTextAreRefused() throws IOException {
    Path file = Files.write(directory.resolve("odd.yaml"), new byte[] {'a', (byte) 0xFF});
    VerbsException e =
        assertThrows(VerbsException.class, () -> YamlReader.read(file, yaml -> null));
    assertEquals(Errno.EINVAL, e.errno());
    assertEquals(file + " is not UTF-8 text", e.remedy());
  }

  @Test
  void whatIsNoFileIsNotThere() throws IOException {
    Files.createDirectory(directory.resolve("d.yaml"));
    for (Path none : List.of(directory.resolve("none.yaml"), directory.resolve("d.yaml"))) {
      VerbsException e =
          assertThrows(VerbsException.class, () -> YamlReader.read(none, yaml -> null));
      assertEquals(Errno.ENOENT, e.errno());
      assertTrue(e.remedy().contains(none.toString()), e.remedy());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rules:#  - dorp: | 2:5: 'dorp' is no fault; there are:
          rules:#  - drop:#    nth: often | 3:5: nth=often: give a whole number
          rules:#  - drop:#    nth: 0 | 3:5: nth=0: give a whole number from 1
          rules:#  - drop#  - | 3:4: a rule begins with its fault, such as drop
          rules:#  - drop#  - "" | 3:5: a rule begins with its fault, such as drop
          rules:#  - drop:#    colour: red | 3:5: 'colour=red' chooses nothing; there are:
          rules:#  - drop:#    nth: 3#    nth: 4 | 4:5: 'nth' stands here twice
          rules:#  - drop:#    service: UD#    opcode: RC_SEND_ONLY | 4:5: no datagram has service=UD and opcode=RC_SEND_ONLY
          rules:#  - drop:#    after: 2s#    until: 1s | 4:5: after=2s until=1s: nothing comes between
          rules:#  - drop nth=3 psn=x | 2:5: psn=x: give a whole number
          rules:#  - drop:#    qpn: [1, 2] | 3:10: 'qpn' has one value
          rules: drop | 1:8: rules are a list
          rules:#  - &first drop#  - *first | 3:5: an alias is not read: write out what *first means
          seed: 1#---#seed: 2 | 3:1: a file holds one value
          seed: many | 1:7: seed=many: give a whole number
          speed: 7 | 1:1: 'speed' is no key of a plan; there are: seed links rules
          - drop | 1:1: a plan has the keys seed links rules
          description: [a, b] | 1:14: 'description' has one value
          rules:#  - drop: "x | while scanning a quoted scalar, found unexpected end of stream
          """)
  void whatCannotBeIsRefusedWithItsPlace(String yaml, String words) throws IOException {
    String file = file("plan.yaml", yaml.replace('#', '\n'));
    VerbsException e = assertThrows(VerbsException.class, () -> FaultPlan.parse(file));
    assertEquals(Errno.EINVAL, e.errno());
    assertTrue(e.remedy().startsWith(file + ":"), e.remedy());
    assertTrue(e.remedy().contains(words), e.remedy());
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    VerbsException e = assertThrows(VerbsException.class, () -> FaultPlan.parse("no/plan.yaml"));
    assertEquals("there is no file no/plan.yaml", e.remedy());
  }

  @Test
  void aFileThatIsNoTextIsRefused(@TempDir Path directory) throws IOException {
    Path capture = Files.write(directory.resolve("p.yaml"), new byte[] {10, 13, -1, -2});
    VerbsException e =
        assertThrows(VerbsException.class, () -> FaultPlan.parse(capture.toString()));
    assertEquals(capture + " is not UTF-8 text", e.remedy());
  }
}
