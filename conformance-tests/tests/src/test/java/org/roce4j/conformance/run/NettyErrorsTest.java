package org.roce4j.conformance.run;

import org.roce4j.conformance.backend.UdpBackend;

/** The rows of errors, faults, drops and events on the portable port. */
class NettyErrorsTest extends SuiteTest {
  NettyErrorsTest() {
    super(new UdpBackend("netty"), row -> row.id().matches("(ERR|FLT|DROP|EVT|PRT)-.*"));
  }
}
