package org.roce4j.conformance.run;

import org.roce4j.conformance.backend.FabricBackend;

class FabricSuiteTest extends SuiteTest {
  FabricSuiteTest() {
    super(new FabricBackend(1));
  }
}
