package org.roce4j.tools.faults;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.tools.CommandFixture;

class FaultsCommandTest extends CommandFixture {
  @TempDir private Path directory;

  private Path capture;

  @BeforeEach
  void copyACaptureOfSoftRoce() throws IOException {
    capture = captureOfSoftRoce(directory);
  }

  private int faults(String... args) {
    return command("faults", args);
  }

  @Test
  void saysWhatEachRuleDoes() {
    assertEquals(0, faults("--explain", "drop psn=5 direction=in every=2; delay=1ms times=3"));
    assertEquals(
        """
        1. Of the datagrams with PSN 5 that this end receives, every 2nd: it is lost.
        2. Of all datagrams, each, 3 at most: it arrives 1ms later; others overtake it.
        """,
        out.toString());
  }

  @Test
  void saysWhichRulesNeverHaveAnEffect() {
    String plan = "drop direction=out; delay direction=out nth=3; mark-ecn probability=0";
    assertEquals(0, faults("--explain", "--dry-run", capture.toString(), plan));
    String told = out.toString();
    assertTrue(
        told.contains(
            """
            2. Of the datagrams that this end sends, the 3rd: it arrives 1ms later; others overtake it.\
             It never happens: a rule before it loses them all (drop direction=out).
            3. Of all datagrams, each, with a probability of 0%: a router says that it met congestion:\
             ECN becomes CE. It never happens: its probability is 0.
            """),
        told);
    assertTrue(
        told.endsWith(
            """
            rule 2 (delay direction=out nth=3): 0 of 12 packets. It never happens: a rule before it loses\
             them all (drop direction=out).
            rule 3 (mark-ecn probability=0.0): 0 of 12 packets. It never happens: its probability is 0.
            """),
        told);
  }

  @Test
  void printsAPlanOfAFileAsALine() throws IOException {
    Path plan =
        Files.writeString(directory.resolve("plan.yaml"), "rules:\n  - drop:\n    nth: 3\n");
    assertEquals(0, faults(plan.toString()));
    assertEquals("seed=0; drop nth=3\n", out.toString());
  }

  @Test
  void refusesWithThePlaceInTheFile() throws IOException {
    Path plan =
        Files.writeString(directory.resolve("plan.yaml"), "rules:\n  - drop:\n    nth: x\n");
    assertEquals(2, faults(plan.toString()));
    assertTrue(err.toString().contains("plan.yaml:3:5: nth=x: give a whole number"), err::toString);
  }

  @Test
  void aDryRunNamesThePacketsThatEachRuleHits() {
    String plan = "drop opcode=RC_ACKNOWLEDGE direction=in nth=2; duplicate psn=6687365";
    assertEquals(0, faults("--dry-run", capture.toString(), plan));
    assertEquals(
        """
        5 RC SEND Only <- rule 2 (duplicate)
        6 RC Acknowledge <- rule 1 (drop)
        rule 1 (drop direction=in opcode=RC_ACKNOWLEDGE nth=2): 1 of 12 packets
        rule 2 (duplicate psn=6687365): 1 of 12 packets
        """,
        out.toString().replaceAll("(?m)^ +(\\d+) \\S+ \\S+ > \\S+ (.*?) QP .* <-", "$1 $2 <-"));
  }

  @Test
  void aDryRunSaysWhatNoPacketShows() {
    String plan = "links loss=1%; drop nth=3; refuse=ENOMEM call=open";
    assertEquals(0, faults("--dry-run", capture.toString(), plan));
    assertTrue(
        out.toString()
            .endsWith(
                """
                rule 1 (drop nth=3): 1 of 12 packets
                links (loss=0.01): not tried, the packets have passed them
                (refuse=ENOMEM call=open): not tried, no packet meets it
                """),
        out::toString);
    assertEquals(2, faults("--dry-run", capture.toString(), "refuse=ENOMEM call=open"));
  }

  @Test
  void aDryRunSaysWhereTheCaptureEnds() throws IOException {
    byte[] whole = Files.readAllBytes(capture);
    Files.write(capture, Arrays.copyOf(whole, whole.length - 5));
    assertEquals(0, faults("--dry-run", capture.toString(), "drop nth=3"));
    assertTrue(
        out.toString()
            .endsWith("the file is damaged: the last record is cut short, at byte 1242\n"),
        out::toString);
  }

  /** A capture of an adapter with several queues may have its frames out of order. */
  @Test
  void aCaptureWhoseTimesGoBackIsTriedAsAWhole() throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(capture)).order(LITTLE_ENDIAN);
    bytes.putInt(24, bytes.getInt(24) + 3600);
    Files.write(capture, bytes.array());
    assertEquals(0, faults("--dry-run", capture.toString(), "drop nth=3; drop first=5 after=0s"));
    assertTrue(out.toString().contains("rule 1 (drop nth=3): 1 of 12 packets"), out::toString);
  }

  /** Of the time that has passed since the first packet, as a carrier sees it. */
  @Test
  void aRuleHoldsFromItsTimeOnThoughLaterPacketsBearEarlierOnes() throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(capture)).order(LITTLE_ENDIAN);
    int second = 24 + 16 + bytes.getInt(24 + 8);
    bytes.putInt(second, bytes.getInt(second) + 3600);
    Files.write(capture, bytes.array());
    assertEquals(0, faults("--dry-run", capture.toString(), "drop after=3500s; drop until=3500s"));
    assertTrue(out.toString().contains("after=3500s): 11 of 12 packets"), out::toString);
    assertTrue(out.toString().contains("until=3500s): 1 of 12 packets"), out::toString);
  }

  @Test
  void packetsThatAreMalformedAreNotAskedAbout() throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(capture));
    int opcode = 24 + 16 + 14 + 20 + 8;
    bytes.put(opcode, (byte) 0xff);
    Files.write(capture, bytes.array());
    assertEquals(0, faults("--dry-run", capture.toString(), "drop"));
    assertTrue(out.toString().contains("rule 1 (drop): 11 of 11 packets"), out::toString);
    assertTrue(out.toString().contains("1 packets were not asked about"), out::toString);
  }

  @Test
  void theEndSaysWhatGoesOut() {
    assertEquals(
        0,
        faults("--dry-run", capture.toString(), "--end", "10.77.0.2", "drop direction=out nth=1"));
    assertTrue(out.toString().startsWith("     2 "), out::toString);
    assertEquals(0, faults("--dry-run", capture.toString(), "--end", "10.0.0.9", "drop"));
    assertTrue(out.toString().contains("12 packets were not asked about"), out::toString);
  }

  @Test
  void aCaptureThatIsNotThereIsAWrongCommandLine() {
    assertEquals(2, faults("--dry-run", "no.pcap", "drop"));
  }
}
