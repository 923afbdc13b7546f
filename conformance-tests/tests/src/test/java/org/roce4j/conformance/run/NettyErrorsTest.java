package org.roce4j.conformance.run;

import org.roce4j.conformance.backend.UdpBackend;

/** What goes wrong, on the portable port: the rows of errors, faults, drops and events. */
class NettyErrorsTest extends SuiteTest {
  NettyErrorsTest() {
    super(new UdpBackend("netty"), row -> row.id().matches("(ERR|FLT|DROP|EVT|PRT)-.*"));
  }
}
