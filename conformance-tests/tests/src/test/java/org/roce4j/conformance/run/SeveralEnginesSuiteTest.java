package org.roce4j.conformance.run;

import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.fabric.Steering;

/** Most packets reach an engine that does not have their queue pair. */
class SeveralEnginesSuiteTest extends SuiteTest {
  SeveralEnginesSuiteTest() {
    super(
        new FabricBackend(1, 4, Steering.SOURCE),
        row -> row.id().matches("(ERR|FLT|DROP|EVT|PRT)-.*"));
  }
}
