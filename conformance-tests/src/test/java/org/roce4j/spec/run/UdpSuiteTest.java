package org.roce4j.spec.run;

import org.roce4j.backend.UdpBackend;

class UdpSuiteTest extends SuiteTest {
  UdpSuiteTest() {
    super(new UdpBackend("auto"));
  }
}
