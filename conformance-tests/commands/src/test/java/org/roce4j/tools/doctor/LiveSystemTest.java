package org.roce4j.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** This machine, as far as every machine is alike. */
class LiveSystemTest {
  private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

  private final LiveSystem system = new LiveSystem();

  @TempDir private Path directory;

  @Test
  void filesAreSeenAsTheyAre() throws IOException {
    Path file = Files.write(directory.resolve("file"), List.of("one", "two"));
    Files.createSymbolicLink(directory.resolve("link"), Path.of("nowhere"));
    assertEquals(List.of("one", "two"), system.lines(file.toString()));
    assertEquals(Set.of("file", "link"), Set.copyOf(system.names(directory.toString())));
    assertEquals(Optional.of("nowhere"), system.link(directory.resolve("link").toString()));
    assertTrue(system.exists(file.toString()));
  }

  @Test
  void whatIsNotThereIsEmpty() {
    String none = directory.resolve("none").toString();
    assertEquals(List.of(), system.lines(none));
    assertEquals(List.of(), system.names(none));
    assertEquals(Optional.empty(), system.link(none));
    assertEquals(Optional.empty(), system.link(directory.toString()), "no link");
    assertFalse(system.exists(none));
    assertEquals("", system.property("roce4j.no.such.property"));
  }

  @Test
  void theLoopbackInterfaceIsOneOfThem() {
    assertTrue(
        system.interfaces().stream().anyMatch(each -> each.addresses().contains(LOOPBACK)),
        () -> system.interfaces().toString());
    assertEquals(Optional.of(LOOPBACK), system.sourceFor(LOOPBACK));
  }

  @Test
  @EnabledOnOs(OS.LINUX) // elsewhere there is one loopback address
  void datagramsPassFromOneLoopbackAddressToAnother() {
    assertTrue(system.loopbackWorks());
  }

  /** A doctor looks into the directory of each process. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void looksLeaveNoDescriptorOpen() {
    int before = system.names("/proc/self/fd").size();
    for (int i = 0; i < 200; i++) {
      system.names(directory.toString());
      system.sourceFor(LOOPBACK);
      system.loopbackWorks();
    }
    int grown = system.names("/proc/self/fd").size() - before;
    assertTrue(grown < 100, () -> grown + " descriptors more");
  }
}
