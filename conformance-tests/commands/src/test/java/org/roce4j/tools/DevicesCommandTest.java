package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;
import picocli.CommandLine;

class DevicesCommandTest {
  /** A backend whose only device is in use, or that has no device and says why. */
  private record Backend(String name, boolean works) implements VerbsProvider {
    @Override
    public List<RdmaDevice> devices() {
      return works ? List.of(new TakenDevice(this)) : List.of();
    }

    @Override
    public Optional<String> unavailable() {
      return works ? Optional.empty() : Optional.of("libibverbs.so.1 is not installed");
    }
  }

  private record TakenDevice(VerbsProvider provider) implements RdmaDevice {
    @Override
    public String name() {
      return "roce0";
    }

    @Override
    public long guid() {
      return 0x1234;
    }

    @Override
    public Context open() {
      throw new VerbsException(Errno.EADDRINUSE, "127.0.0.1 is taken; 127.0.0.3 is free");
    }
  }

  @Test
  void aDeviceThatCannotBeOpenedAndABackendWithoutDevicesSayWhy() {
    assertEquals(
        """
        backend emulator
          roce0  cannot be opened: 127.0.0.1 is taken; 127.0.0.3 is free (EADDRINUSE)
        backend hardware: unavailable: libibverbs.so.1 is not installed
        """,
        output());
  }

  @Test
  void entriesOfSeveralPortsSayTheirPort() {
    String one = OwnNetwork.address(65);
    String two = OwnNetwork.address(66);
    String set = "devices --set device.dual.addresses=%s;%s".formatted(one, two);
    String out = CommandRun.of(set).out();
    assertTrue(out.contains("    GID 0 of port 1: " + one + " "), out);
    assertTrue(out.contains("    GID 0 of port 2: " + two + " "), out);
    String json = CommandRun.of(set + " --json").out();
    assertTrue(json.contains("{\"port\":2,\"index\":0,\"address\":\"" + two + "\""), json);
  }

  @Test
  void jsonHoldsTheSame() {
    assertEquals(
        "{\"backends\":[{\"backend\":\"emulator\",\"unavailable\":null,\"devices\":[{\"name\":"
            + "\"roce0\",\"guid\":\"0000000000001234\",\"errno\":\"EADDRINUSE\",\"refused\":"
            + "\"127.0.0.1 is taken; 127.0.0.3 is free\"}]},{\"backend\":\"hardware\","
            + "\"unavailable\":\"libibverbs.so.1 is not installed\",\"devices\":[]}]}\n",
        output("--json"));
  }

  private static String output(String... args) {
    StringWriter out = new StringWriter();
    List<VerbsProvider> backends =
        List.of(new Backend("emulator", true), new Backend("hardware", false));
    int status =
        new CommandLine(new DevicesCommand(() -> backends))
            .setOut(new PrintWriter(out))
            .execute(args);
    assertEquals(0, status);
    return out.toString().replace(System.lineSeparator(), "\n");
  }
}
