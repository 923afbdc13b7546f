package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import org.junit.jupiter.api.Test;

class MissingBackendTest {

  @Test
  void aClassPathWithoutBackendIsToldWhichArtifactsItLacks() {
    Thread thread = Thread.currentThread();
    ClassLoader usual = thread.getContextClassLoader();
    thread.setContextClassLoader(
        new ClassLoader(usual) {
          @Override
          public Enumeration<URL> getResources(String name) {
            return Collections.emptyEnumeration(); // no service file
          }
        });
    try {
      VerbsException refused = refused(Errno.ENODEV, () -> Verbs.device("roce0").open());
      assertTrue(refused.remedy().contains("org.roce4j:roce4j-emulator"), refused::remedy);
      assertTrue(refused.remedy().contains("org.roce4j:roce4j-hardware"), refused::remedy);
      refused(Errno.EOPNOTSUPP, () -> Verbs.importDevice(3));
      assertEquals(ForkStatus.UNNEEDED, Verbs.forkStatus());
    } finally {
      thread.setContextClassLoader(usual);
    }
  }
}
