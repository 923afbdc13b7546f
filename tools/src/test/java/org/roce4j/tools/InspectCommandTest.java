package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectCommandTest {
  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path capture;

  @BeforeEach
  void copyACaptureOfSoftRoce() throws IOException {
    capture = directory.resolve("rc_send.pcap");
    try (InputStream in = InspectCommandTest.class.getResourceAsStream("/rc_send.pcap")) {
      Files.copy(in, capture);
    }
  }

  @Test
  void endsWithTheTotalsAndSucceedsWhenAllIsRight() {
    assertEquals(0, inspect(capture.toString()));
    String last = out.toString().lines().reduce("", (first, second) -> second);
    assertTrue(
        last.matches("(\\d+) packets, \\1 icrc ok, 0 icrc bad, 0 malformed"), out.toString());
  }

  @Test
  void failsWhenAnIcrcIsWrong() throws IOException {
    byte[] bytes = Files.readAllBytes(capture);
    bytes[bytes.length - 1] ^= 1;
    Files.write(capture, bytes);

    assertEquals(1, inspect(capture.toString()));
    assertTrue(out.toString().contains(" 1 icrc bad, "), out.toString());
    assertEquals("", err.toString());
  }

  @Test
  void failsWhenTheFileIsCutShort() throws IOException {
    byte[] bytes = Files.readAllBytes(capture);
    Files.write(capture, Arrays.copyOf(bytes, bytes.length - 5));

    assertEquals(1, inspect(capture.toString()));
    assertTrue(out.toString().contains("the file is damaged"), out.toString());
  }

  @Test
  void jsonHoldsTheTotalsOnly() {
    assertEquals(0, inspect("--json", capture.toString()));
    assertTrue(out.toString().startsWith("{\"packets\":"), out.toString());
    assertTrue(out.toString().strip().endsWith("\"damage\":null,\"allRight\":true}"));
    assertEquals(1, out.toString().lines().count());
  }

  @Test
  void aMissingFileIsOneLine() {
    assertEquals(2, inspect(directory.resolve("no.pcap").toString()));
    assertOneLine("there is no file");
  }

  @Test
  void aDirectoryIsOneLine() {
    assertEquals(2, inspect(directory.toString()));
    assertOneLine("is a directory");
  }

  @Test
  void aFileOfAnotherFormatIsOneLine() throws IOException {
    Files.writeString(capture, "PK and something else");
    assertEquals(2, inspect(capture.toString()));
    assertOneLine("neither a pcap nor a pcapng file");
  }

  @Test
  void noFileIsAWrongCommandLine() {
    assertEquals(2, inspect());
    assertOneLine("FILE");
  }

  private void assertOneLine(String part) {
    assertTrue(err.toString().contains(part), err.toString());
    assertTrue(err.toString().startsWith("roce4j inspect: "), err.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertEquals("", out.toString());
  }

  private int inspect(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "inspect";
    System.arraycopy(args, 0, all, 1, args.length);
    return Roce4j.run(new PrintWriter(out, true), new PrintWriter(err, true), false, all);
  }
}
