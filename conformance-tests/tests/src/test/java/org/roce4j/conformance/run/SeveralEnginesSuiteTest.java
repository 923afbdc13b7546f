package org.roce4j.conformance.run;

import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.fabric.Steering;

/** Packets reach an engine whose queue pairs they may not be for, as most of them are not. */
class SeveralEnginesSuiteTest extends SuiteTest {
  SeveralEnginesSuiteTest() {
    super(
        new FabricBackend(1, 4, Steering.SOURCE),
        row -> row.id().matches("(ERR|FLT|DROP|EVT|PRT)-.*"));
  }
}
