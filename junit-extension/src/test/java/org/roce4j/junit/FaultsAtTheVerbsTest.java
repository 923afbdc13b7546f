package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

class FaultsAtTheVerbsTest {
  @Test
  @EmulatedRdma(faults = "refuse=ENOMEM call=allocPd nth=2; loss=1%")
  void contextsOfTheFirstDeviceFailAtTheVerbs(Context first, Context second) {
    first.allocPd().close();
    VerbsException e = assertThrows(VerbsException.class, first::allocPd);
    assertEquals(Errno.ENOMEM, e.errno());
    second.allocPd().close();
    second.allocPd().close();
  }
}
