package org.roce4j.spec.run;

import org.roce4j.backend.UdpBackend;

/** Every row, on the best socket port: {@code linux} on Linux. */
class UdpSuiteTest extends SuiteTest {
  UdpSuiteTest() {
    super(new UdpBackend("auto"));
  }
}
