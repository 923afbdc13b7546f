package org.roce4j.tools.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.roce4j.tools.console.Interruption;
import picocli.CommandLine;

/** A long run that a signal ends prints what it has found by then. */
class InterruptedConformanceTest {
  @Test
  void itTellsWhatItHasFound() {
    Interruption interruption = new Interruption();
    interruption.request();
    StringWriter out = new StringWriter();
    CommandLine command = new CommandLine(new ConformanceCommand(interruption));
    int status = command.setOut(new PrintWriter(out, true)).execute("--backend", "fabric");
    assertEquals(1, status, out::toString);
    assertTrue(out.toString().contains("interrupted after 1 of "), out::toString);
  }
}
