package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.verbs.Refusals.refused;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;

/** The devices that the connection manager opens itself: those of one backend on the class path. */
class FoundDevicesTest {
  private static List<RdmaDevice> withoutManager;
  private static List<RdmaDevice> withManager;
  private static List<RdmaDevice> later;

  /** A backend without a connection manager. */
  public static class Plain implements VerbsProvider {
    @Override
    public String name() {
      return "plain";
    }

    @Override
    public List<RdmaDevice> devices() {
      return withoutManager;
    }

    @Override
    public Optional<String> unavailable() {
      return Optional.empty();
    }
  }

  /** A backend with a connection manager. */
  public static class Managed extends Plain implements CmProvider {
    @Override
    public List<RdmaDevice> devices() {
      return withManager;
    }

    @Override
    public ProviderChannel openCmChannel(List<Context> contexts) {
      throw new AssertionError();
    }
  }

  /** One that is found after it. */
  public static final class Later extends Managed {
    @Override
    public List<RdmaDevice> devices() {
      return later;
    }
  }

  private final ClassLoader usual = Thread.currentThread().getContextClassLoader();
  private final LoopbackProvider first = new LoopbackProvider();
  private final LoopbackProvider second = new LoopbackProvider();

  @BeforeEach
  void onTheClassPath(@TempDir Path folder) throws IOException {
    withoutManager = List.of(device(first));
    withManager = List.of();
    later = List.of();
    URL services =
        Files.writeString(
                folder.resolve("services"),
                Stream.of(Plain.class, Managed.class, Later.class)
                    .map(Class::getName)
                    .collect(Collectors.joining("\n")))
            .toUri()
            .toURL();
    Thread.currentThread()
        .setContextClassLoader(
            new ClassLoader(usual) {
              @Override
              public Enumeration<URL> getResources(String name) {
                return Collections.enumeration(List.of(services));
              }
            });
  }

  @AfterEach
  void asBefore() {
    Thread.currentThread().setContextClassLoader(usual);
  }

  /** A device that opens the provider's context; null: it cannot be opened. */
  private static RdmaDevice device(LoopbackProvider of) {
    return (RdmaDevice)
        Proxy.newProxyInstance(
            FoundDevicesTest.class.getClassLoader(),
            new Class<?>[] {RdmaDevice.class},
            (self, method, args) -> {
              if (of == null) {
                throw new VerbsException(Errno.EACCES, "another program has this device");
              }
              of.verbs.open.add("context");
              return of.context;
            });
  }

  @Test
  void everyDeviceThatCanBeOpenedOfTheFirstBackendThatHasAManager() {
    withManager = List.of(device(null), device(first), device(null), device(first));
    later = List.of(device(second));
    RdmaCm cm = RdmaCm.open();
    assertEquals(List.of(first.context, first.context), cm.devices());
    assertEquals(List.of("context", "context"), first.verbs.open);
    assertEquals(List.of(), second.verbs.open);
    cm.close();
    assertEquals(List.of(), first.verbs.open, "closed with the manager");
  }

  @Test
  void theNextBackendServesWhereTheFirstHasNoDevice() {
    for (List<RdmaDevice> none : List.of(List.<RdmaDevice>of(), List.of(device(null)))) {
      withManager = none;
      later = List.of(device(second));
      try (RdmaCm cm = RdmaCm.open()) {
        assertEquals(List.of(second.context), cm.devices());
      }
    }
  }

  @Test
  void contextsOfTheProgramStayOpen() {
    first.verbs.open.add("context");
    RdmaCm cm = RdmaCm.open(first.context);
    assertEquals(List.of(first.context), cm.devices());
    cm.close();
    assertEquals(List.of("context"), first.verbs.open);
  }

  @Test
  void whereNoneCanBeOpenedTheReasonIsToldAndElseThatThereIsNone() {
    refused(Errno.ENODEV, RdmaCm::open);
    withoutManager = List.of();
    refused(Errno.ENODEV, () -> Verbs.device("roce9"));
    withManager = List.of(device(null));
    assertEquals("another program has this device", refused(Errno.EACCES, RdmaCm::open).remedy());
    assertEquals(List.of(), first.verbs.open, "a device without a manager");
  }
}
