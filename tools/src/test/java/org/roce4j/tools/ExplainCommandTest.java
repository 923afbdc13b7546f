package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ExplainCommandTest extends CommandFixture {
  @Test
  void saysWhatANameMeansAndWhereToLook() {
    assertEquals(0, run("explain", "ibv_wc_retry_exc_err", "RTR"));
    assertTrue(
        out.toString().startsWith("RETRY_EXC_ERR, completion status\n  means  the peer did"));
    assertTrue(out.toString().contains("\n\nRTR, state of a queue pair\n"), out::toString);
    assertTrue(out.toString().contains("\n  look "), out::toString);
  }

  @Test
  void listsTheNamesThereAre() {
    assertEquals(0, run("explain"));
    assertTrue(out.toString().contains("\nevent   CQ_ERR\n"), out::toString);
  }

  @Test
  void aNameThatIsNoneIsAWrongCommandLine() {
    assertEquals(2, run("explain", "NOPE"));
    assertTrue(err.toString().contains("'NOPE' is no status, errno, state or event"));
  }
}
