package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExplainCommandTest extends CommandFixture {
  @Test
  void saysWhatANameMeansAndWhereToLook() {
    assertEquals(0, run("explain", "ibv_wc_retry_exc_err", "RTR"));
    assertTrue(
        out.toString().startsWith("RETRY_EXC_ERR, completion status 12\n  means  the peer did"));
    assertTrue(out.toString().contains("\n\nRTR, state of a queue pair 2\n"), out::toString);
    assertTrue(out.toString().contains("\n  look "), out::toString);
  }

  @Test
  void listsTheNamesThereAre() {
    assertEquals(0, run("explain"));
    assertTrue(out.toString().contains("\nevent       0 CQ_ERR\n"), out::toString);
  }

  @Test
  void aNameThatIsNoneIsAWrongCommandLine() {
    assertEquals(2, run("explain", "NOPE"));
    assertTrue(err.toString().contains("'NOPE' is no status, errno, state, event, reason or NAK"));
  }

  @Test
  void aPartOfANameLeadsToTheWholeNames() {
    assertEquals(2, run("explain", "rnr"));
    assertTrue(
        err.toString().contains("did you mean RNR_RETRY_EXC_ERR, INVALID_RNR_RETRY, RNR_NAK?"),
        err::toString);
    assertEquals(2, run("explain", "REM_ACESS_ERR"));
    assertTrue(err.toString().contains("did you mean REM_ACCESS_ERR?"), err::toString);
  }

  /** A program in C prints numbers; which kind it was, its reader knows. */
  @Test
  void aNumberIsToldForEachKindThatHasIt() {
    assertEquals(0, run("explain", "28"));
    assertEquals(
        List.of("ENOSPC, error number 28", "CONSUMER_DEFINED, reason of a rejected connection 28"),
        out.toString().lines().filter(line -> line.matches("\\S.*")).toList());
  }

  /** A capture shows the byte, inspect its words. */
  @Test
  void aNakIsToldByItsByteAndItsWords() {
    assertEquals(0, run("explain", "0x61", "RNR NAK wait 0.64 ms"));
    assertEquals(
        List.of(
            "NAK_INVALID_REQUEST, syndrome of an acknowledgement 0x61",
            "RNR_NAK, syndrome of an acknowledgement 0x20"),
        out.toString().lines().filter(line -> line.matches("\\S.*")).toList());
  }
}
