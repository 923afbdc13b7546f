package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * Each system call that opens a port or joins a group fails once, and memory runs out in its place
 * once: what was opened so far is closed again.
 */
@EnabledOnOs(OS.LINUX)
class EveryStepOfOpeningTest {
  private static final int MANY = 1000;
  private static final Gid OWN = Gid.parse("127.0.0.1");
  private static final Gid OTHER = Gid.parse("127.0.0.2");
  private static final Gid GROUP = Gid.parse("239.1.2.3");

  private final PortProvider provider = new FailingLibc().provider();
  private final PortOptions options =
      PortOptions.of(List.of(OWN, OTHER)).withUdpPort(NumberedDatagrams.freeUdpPort());

  /** The least of some counts: the virtual machine opens a file of the kernel now and then. */
  private static int descriptors() {
    File open = new File("/proc/self/fd");
    return IntStream.range(0, 5).map(i -> open.list().length).min().orElseThrow();
  }

  /** Whether a step of it failed. */
  private static boolean fails(int step, boolean noMemory, Runnable verb) {
    SystemCalls.failAfter(step, noMemory);
    try {
      verb.run();
    } catch (VerbsException e) {
      assertEquals(Errno.EPERM, e.errno());
    } catch (OutOfMemoryError e) {
      assertTrue(noMemory);
    }
    return SystemCalls.succeed();
  }

  @ParameterizedTest(name = "{0} engines, memory runs out: {1}")
  @CsvSource({"1,false", "1,true", "4,false", "4,true"})
  void whatWasOpenedIsClosedAgain(int engines, boolean noMemory) {
    provider.openSeveral(options, engines).forEach(Port::close); // loads and links all it needs
    int before = descriptors();
    int step = 0;
    List<Port> opened = new ArrayList<>();
    while (fails(step, noMemory, () -> opened.addAll(provider.openSeveral(options, engines)))) {
      opened.forEach(Port::close); // what failed may be done without
      opened.clear();
      int failed = step;
      assertEquals(before, descriptors(), () -> "open descriptors after step " + failed);
      assertTrue(step++ < MANY);
    }
    opened.forEach(Port::close);
    assertEquals(before, descriptors());
    assertTrue(step > 5 * engines, "steps: " + step);
  }

  @ParameterizedTest(name = "memory runs out: {0}")
  @CsvSource({"false", "true"})
  void aGroupIsJoinedOrNot(boolean noMemory) {
    provider.open(options).close(); // loads and links all it needs
    int closed = descriptors();
    try (Port port = provider.open(options)) {
      port.join(GROUP, OWN);
      port.leave(GROUP, OWN);
      int before = descriptors();
      int step = 0;
      while (fails(step, noMemory, () -> port.join(GROUP, OWN))) {
        port.leave(GROUP, OWN); // nothing, if it failed
        int failed = step;
        assertEquals(before, descriptors(), () -> "open descriptors after step " + failed);
        assertTrue(step++ < MANY);
      }
      assertEquals(before + 1, descriptors());
      assertTrue(step > 5, "steps: " + step);
    }
    assertEquals(closed, descriptors(), "a group is left at the end");
  }

  /** Datagrams that come one at a time are sent without the socket that cannot be opened. */
  @ParameterizedTest(name = "memory runs out: {0}")
  @CsvSource({"false", "true"})
  void aConnectedSocketIsOpenedOrNot(boolean noMemory) {
    int step = 0;
    boolean failed;
    do {
      try (Port port = provider.open(options)) {
        LoneExchange exchange = new LoneExchange(port, options.udpPort(), OWN, OTHER);
        exchange.bothWays(LoneExchange.MANY, LoneExchange.MARKED);
        int before = descriptors();
        failed = fails(step, noMemory, () -> exchange.send(1));
        int opened = descriptors() - before;
        int at = step;
        assertTrue(opened == 1 || opened == 0 && failed, () -> "descriptors after step " + at);
        assertTrue(step++ < MANY);
      }
    } while (failed);
    assertTrue(step > 5, "steps: " + step);
  }

  @Test
  void theErrorOfAStepIsTold() {
    SystemCalls.failAfter(0, false);
    VerbsException e = assertThrows(VerbsException.class, () -> provider.open(options));
    SystemCalls.succeed();
    assertEquals(Errno.EPERM, e.errno());
  }
}
