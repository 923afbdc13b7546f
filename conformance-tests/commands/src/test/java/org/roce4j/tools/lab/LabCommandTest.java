package org.roce4j.tools.lab;

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
import org.roce4j.lab.LabSession;
import org.roce4j.lab.Scenario;
import org.roce4j.tools.CommandFixture;
import org.roce4j.tools.console.ToolFailure;

class LabCommandTest extends CommandFixture {
  @TempDir private Path directory;

  @Test
  void printsWhatHappens() throws IOException {
    assertEquals(0, play("actions: [connect a b, receive b1, send a1 text=hello, run]"));
    assertTrue(
        out.toString().contains("       5.416 us  b1: receive b1 bytes=64 completes, 5 bytes\n"),
        out::toString);
  }

  @Test
  void whatIsExpectedAndDoesNotHappenIsAFailure() throws IOException {
    String actions = "actions: [connect a b, receive b1, send a1 text=hello, run]\n";
    assertEquals(0, play(actions + "expect: [packet 1, hello completes]"));
    assertEquals(1, play(actions + "expect: [hello completes, packet 1]"));
    assertTrue(err.toString().contains("did not happen: packet 1"), err::toString);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "actions: [connect a b, sned a1] | file.yaml:1:24: 'sned' is no action",
        "colour: red | file.yaml:1:1: 'colour' is no key",
        "actions: connect a b | file.yaml:1:10: give a list",
        "seed: many | file.yaml:1:7: seed is a number",
        "devices: [A] | file.yaml:1:10: devices [A]: give 1 to 4 names",
        "just text | a scenario has keys",
        "actions: [connect a b, send c1] | file.yaml:1:24: there is no queue pair 'c1' yet"
      })
  void aFileThatIsNotUnderstoodIsAMistakeOfUsage(String text, String why) throws IOException {
    assertEquals(2, play(text));
    assertTrue(err.toString().contains(why), err::toString);
  }

  @Test
  void aFileWithoutTitleIsCalledByItsName() throws IOException {
    Path file = Files.writeString(directory.resolve("file.yaml"), "actions: [connect a b]");
    assertEquals("file.yaml", ScenarioFile.read(file).scenario().title());
  }

  @Test
  void aLabHasFourDevicesAtMost() {
    assertEquals(2, run("lab", "--devices", "5"));
    assertEquals("roce4j lab: --devices: 5: a lab has 1 to 4\n", err.toString());
  }

  /** An option that has no effect is reported. */
  @ParameterizedTest
  @CsvSource({
    "--devices 3 FILE, --devices is for a new scenario; the file names its devices",
    "--play FILE --devices 3, --devices is for a new scenario; the file names its devices",
    "--play FILE --port 0, --port is for the page; --play prints what happens",
    "--play FILE FILE, 'give one scenario: to play it here, or for the page'"
  })
  void anOptionThatHasNoMeaningIsRefused(String line, String why) throws IOException {
    Path file = Files.writeString(directory.resolve("file.yaml"), "actions: [connect a b]");
    assertEquals(2, run(("lab " + line.replace("FILE", file.toString())).split(" ")));
    assertEquals("roce4j lab: " + why + "\n", err.toString());
  }

  @Test
  void aScenarioIsReadAsItWasWritten() throws IOException {
    Scenario scenario =
        Scenario.of("it's a title: with a colon")
            .withSeed(7)
            .withDevices("left", "right", "c")
            .withLink("delay=1us loss=0.1")
            .then("connect left right", "send left1 text='two words'", "packet 1 delay=1ms", "run");
    ScenarioFile file = new ScenarioFile(scenario, List.of("# no comment", "a: b"), List.of());
    ScenarioFile again =
        ScenarioFile.read(Files.writeString(directory.resolve("again.yaml"), file.text()));
    assertEquals(file.text(), again.text());
    assertEquals(scenario.actions(), again.scenario().actions());
    assertEquals(scenario.link().toString(), again.scenario().link().toString());
    assertEquals(file.expect(), again.expect());
    assertThrows(ToolFailure.class, () -> ScenarioFile.read(directory.resolve("none.yaml")));
  }

  @Test
  void theSavedTestIsNamedAfterItsTitleAndHoldsWhatHappened() {
    assertEquals("ALostAckTest", SavedTest.className("a lost Ack"));
    assertEquals("Lab2DevicesTest", SavedTest.className("2 devices"));
    assertEquals("LabTest", SavedTest.className("?"));
    Scenario scenario = Scenario.of("say \"hi\"").then("connect a b", "send a1 text=\"hi\"");
    try (LabSession lab = LabSession.of(scenario)) {
      String source = SavedTest.of(lab, "SayHiTest");
      assertTrue(source.contains("Scenario.of(\"say \\\"hi\\\"\")"), source);
      assertTrue(source.contains("                 0.000 us  > connect a b\n"), source);
      assertTrue(source.contains(" ".repeat(16) + "\"send a1 text=\\\"hi\\\"\""), source);
    }
  }

  private int play(String scenario) throws IOException {
    Path file = Files.writeString(directory.resolve("file.yaml"), scenario);
    return run("lab", "--play", file.toString());
  }
}
