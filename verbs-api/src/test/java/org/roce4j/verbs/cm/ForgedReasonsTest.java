package org.roce4j.verbs.cm;

import static org.roce4j.verbs.Refusals.refused;

import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;

/** A peer rejects for a reason that no program can give. */
class ForgedReasonsTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 9999, 0xFFFF})
  void aRejectionIsNoConnection(int reason) {
    LoopbackProvider provider = new LoopbackProvider();
    provider.forged = reason;
    try (RdmaCm cm = RdmaCm.open(provider.context);
        CmId id = cm.createId(PortSpace.TCP)) {
      id.resolveAddr(null, new InetSocketAddress("127.0.0.2", 7471), 2000);
      id.resolveRoute(2000);
      refused(Errno.ECONNREFUSED, () -> id.connect(new ConnParam()));
    }
  }
}
