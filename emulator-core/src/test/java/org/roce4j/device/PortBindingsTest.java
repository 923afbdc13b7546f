package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.roce4j.device.PortBindings.Binding;
import org.roce4j.device.PortBindings.Terms;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/** Why a port is refused does not depend on the order in which its bindings are looked at. */
class PortBindingsTest {
  private static final Terms SHARED = new Terms(true, false);
  private static final Terms ALONE = new Terms(false, false);
  private static final int ROUNDS = 40;

  private static Binding at(String address, boolean wildcard) {
    return new Binding(1, 4711, Gid.parse(address), wildcard);
  }

  @Test
  void theWildcardAddressIsTheReasonBeforeTheSameAddress() {
    for (int i = 0; i < ROUNDS; i++) {
      PortBindings bindings = new PortBindings();
      assertNull(bindings.take(at("10.0.0.1", false), SHARED));
      assertNull(bindings.take(at("0.0.0.0", true), SHARED));
      assertNull(bindings.take(at("10.0.0.1", false), SHARED));
      assertEquals(Errno.EADDRNOTAVAIL, bindings.take(at("10.0.0.1", false), ALONE));
      assertEquals(3, bindings.size());
    }
  }
}
