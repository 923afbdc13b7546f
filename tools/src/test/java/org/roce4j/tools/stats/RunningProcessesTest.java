package org.roce4j.tools.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunningProcessesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-Xmx1g -cp a.jar:b.jar com.example.Server --port 4 | Server --port 4",
        "-classpath a com.example.Outer$Main              | Outer$Main",
        "--class-path a Main x                            | Main x",
        "-p mods --add-modules all -m roce4j/org.x.Tool y | Tool y",
        "--module-path mods -jar /opt/app/server.jar run  | server.jar run",
        "-jar server.jar                                  | server.jar",
        "-Da=b                                            | ''",
        "-cp                                              | ''",
        "Main aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff g |"
            + " Main aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffff...",
      })
  void aProcessIsCalledByItsClassAndArguments(String arguments, String words) {
    assertEquals(words, RunningProcesses.words(List.of(arguments.split(" "))));
  }
}
