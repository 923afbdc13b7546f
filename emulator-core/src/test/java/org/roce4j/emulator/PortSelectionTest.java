package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** A class path without ports. */
class PortSelectionTest {

  private final Thread thread = Thread.currentThread();
  private final ClassLoader usual = thread.getContextClassLoader();

  @BeforeEach
  void hideServiceFiles() {
    thread.setContextClassLoader(
        new ClassLoader(usual) {
          @Override
          public Enumeration<URL> getResources(String name) {
            return Collections.emptyEnumeration();
          }
        });
  }

  @AfterEach
  void showThemAgain() {
    thread.setContextClassLoader(usual);
  }

  @ParameterizedTest
  @CsvSource({
    "auto,  org.roce4j:roce4j-port-linux",
    "auto,  org.roce4j:roce4j-port-netty",
    "linux, org.roce4j:roce4j-port-linux",
    "netty, org.roce4j:roce4j-port-netty",
  })
  void theArtifactThatIsMissingIsNamed(String transport, String artifact) {
    VerbsException refused = refused(Errno.EOPNOTSUPP, () -> PortSelection.choose(transport));
    assertTrue(refused.remedy().contains("add the artifact "), refused::remedy);
    assertTrue(refused.remedy().contains(artifact), refused::remedy);
  }
}
