package org.roce4j.spec.run;

import org.roce4j.backend.FabricBackend;

class FabricSuiteTest extends SuiteTest {
  FabricSuiteTest() {
    super(new FabricBackend(1));
  }
}
