package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.port.fault.FaultDirection.IN;
import static org.roce4j.port.fault.FaultDirection.OUT;
import static org.roce4j.port.fault.PacketState.NEW;
import static org.roce4j.port.fault.PacketState.REPEATED;
import static org.roce4j.wire.Transport.RC;

import org.junit.jupiter.api.Test;

/** Which datagrams a rule is meant for. */
class FaultMatcherTest {
  @Test
  void eachPropertyIsChangedAlone() {
    FaultMatcher matcher = new FaultMatcher(OUT, RC, 4, 5, 6, NEW);
    assertEquals(new FaultMatcher(IN, RC, 4, 5, 6, NEW), matcher.withDirection(IN));
    assertEquals(new FaultMatcher(OUT, null, 4, 5, 6, NEW), matcher.withService(null));
    assertEquals(new FaultMatcher(OUT, RC, 0, 5, 6, NEW), matcher.withOpcode(0));
    assertEquals(new FaultMatcher(OUT, RC, 4, 7, 6, NEW), matcher.withDestQp(7));
    assertEquals(new FaultMatcher(OUT, RC, 4, 5, 7, NEW), matcher.withPsn(7));
    assertEquals(new FaultMatcher(OUT, RC, 4, 5, 6, REPEATED), matcher.withState(REPEATED));
  }
}
