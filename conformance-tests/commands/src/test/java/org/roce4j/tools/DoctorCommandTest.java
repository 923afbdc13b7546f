package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class DoctorCommandTest extends CommandFixture {
  @Test
  void findingsAreLinesWithTheirCuresBelow() {
    assertEquals(1, run("doctor", "--set", "mut=1024"), err::toString);
    String text = out.toString();
    assertTrue(text.startsWith("ok    jdk            Java "), text);
    assertTrue(
        text.contains(
            "fail  configuration  --set mut: there is no setting 'mut'; did you mean 'mtu'?\n"
                + "                     -> correct it; docs/configuration.md lists the settings\n"),
        text);
    assertTrue(text.matches("(?s).*\\d+ ok, \\d+ to improve, [1-9] in the way\n"), text);
  }

  /** The process with the socket is this one. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void theOwnerOfThePortIsNamedAndTheStatusSaysThatItIsInTheWay() throws IOException {
    try (DatagramSocket socket = new DatagramSocket()) {
      int port = socket.getLocalPort();
      long pid = ProcessHandle.current().pid();
      assertEquals(1, run("doctor", "--set", "udp-port=" + port), err::toString);
      String text = out.toString();
      assertTrue(
          text.contains("process %d (java) has UDP port %d on every address".formatted(pid, port)),
          text);
      assertTrue(text.contains("-> stop it (kill %d)".formatted(pid)), text);
    }
  }

  @Test
  void theStatusIsOneExactlyWhenSomethingIsInTheWay() {
    int status = run("doctor");
    boolean failed = out.toString().lines().anyMatch(line -> line.startsWith("fail"));
    assertEquals(failed ? 1 : 0, status, out::toString);
  }

  @Test
  void jsonHoldsTheSame() {
    run("doctor", "--json");
    String text = out.toString();
    assertTrue(
        text.startsWith("{\"findings\":[{\"check\":\"jdk\",\"level\":\"ok\",\"says\":\"Java "),
        text);
    assertTrue(text.contains("\"remedy\":null}"), text);
  }

  @Test
  void aPeerMustBeAnAddress() {
    assertEquals(2, run("doctor", "--peer", "somebody"));
    assertEquals("roce4j doctor: --peer somebody: give an IPv4 or IPv6 address\n", err.toString());
  }
}
