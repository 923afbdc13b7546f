package org.roce4j.conformance.run;

import org.roce4j.conformance.backend.UdpBackend;

/** Every row, on the best socket port: {@code linux} on Linux. */
class UdpSuiteTest extends SuiteTest {
  UdpSuiteTest() {
    super(new UdpBackend("auto"));
  }
}
