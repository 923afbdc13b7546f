package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Class paths without ports and with several ports. */
class PortSelectionTest {
  /** The ports that a class path may have, in any order. */
  abstract static class Provider implements PortProvider {
    private final int priority;
    private final String unavailable;

    Provider(int priority, String unavailable) {
      this.priority = priority;
      this.unavailable = unavailable;
    }

    @Override
    public String name() {
      return getClass().getSimpleName();
    }

    @Override
    public int priority() {
      return priority;
    }

    @Override
    public Optional<String> unavailable() {
      return Optional.ofNullable(unavailable);
    }

    @Override
    public Port open(PortOptions options) {
      throw new UnsupportedOperationException();
    }
  }

  public static final class Usual extends Provider {
    public Usual() {
      super(5, null);
    }
  }

  public static final class Preferred extends Provider {
    public Preferred() {
      super(9, null);
    }
  }

  public static final class Best extends Provider {
    public Best() {
      super(12, "it needs another kernel");
    }
  }

  @Test
  void thePreferredOneThatWorksIsChosen(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("services");
    Files.write(
        file, Stream.of(Usual.class, Preferred.class, Best.class).map(Class::getName).toList());
    thread.setContextClassLoader(
        new ClassLoader(usual) {
          @Override
          public Enumeration<URL> getResources(String name) throws IOException {
            return Collections.enumeration(List.of(file.toUri().toURL()));
          }
        });
    assertEquals(
        List.of("Best", "Preferred", "Usual"),
        PortSelection.providers().stream().map(PortProvider::name).toList());
    assertEquals("Preferred", PortSelection.choose("auto").name());
    assertEquals("Usual", PortSelection.choose("Usual").name());
    Setting transport = Setting.of("transport").orElseThrow();
    assertEquals("Usual", transport.change().apply(DeviceOptions.of("any"), "Usual").transport());
    VerbsException refused = refused(Errno.EOPNOTSUPP, () -> PortSelection.choose("Best"));
    assertEquals("Best: it needs another kernel", refused.remedy());
    assertEquals(
        "there is no transport 'other'; on the class path: [Best, Preferred, Usual]",
        refused(Errno.EOPNOTSUPP, () -> PortSelection.choose("other")).remedy());
  }

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
