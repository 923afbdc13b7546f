package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Every command that opens devices takes the one configuration. */
class CommandConfigurationTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Roce4j.run(new PrintWriter(out, true), new PrintWriter(err, true), false, args);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"devices", "devinfo", "doctor", "pingpong --iters 1", "perf send_lat -n 1"})
  void anUnknownSettingIsNamedWithTheOneThatWasMeant(String command) {
    assertEquals(1, run((command + " --set mtuu=1024").split(" ")));
    String said = out.toString() + err;
    assertTrue(said.contains("--set mtuu: there is no setting 'mtuu'; did you mean 'mtu'?"), said);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"devices", "devinfo", "doctor", "pingpong --iters 1", "perf send_lat -n 1"})
  void aConfigurationThatIsNotThereIsNamed(String command) {
    assertEquals(1, run((command + " --config nowhere.properties").split(" ")));
    String said = out.toString() + err;
    assertTrue(said.contains("nowhere.properties cannot be read"), said);
  }

  /** A new command that opens devices is not to be forgotten here. */
  @Test
  void theOthersOpenNoneOrNoneButTheirOwn() {
    Map<String, CommandLine> commands = Roce4j.commandLine().getSubcommands();
    commands.forEach(
        (name, command) ->
            assertEquals(
                Set.of("devices", "devinfo", "doctor", "pingpong", "perf").contains(name),
                command.getCommandSpec().findOption("--set") != null,
                name));
  }

  @Test
  void aSettingReachesTheDevicesThatPingpongMakes() {
    assertEquals(
        0,
        run(
            "pingpong",
            "--iters",
            "2",
            "--set",
            "transport=netty",
            "--set",
            "udp-port=47931",
            "--bind",
            "127.0.0.61,127.0.0.62"));
    assertTrue(out.toString().contains("transport: netty"), out.toString());
  }

  @Test
  void aConfiguredDeviceCanPlay() {
    assertEquals(
        0,
        run(
            "pingpong",
            "--iters",
            "2",
            "--device",
            "mine",
            "--set",
            "device.mine.addresses=127.0.0.63",
            "--set",
            "udp-port=47932"));
    assertTrue(out.toString().contains("device mine, address 127.0.0.63"), out.toString());
  }

  @Test
  void theFabricTakesNoSettings() {
    assertEquals(2, run("pingpong", "--transport", "fabric", "--set", "mtu=512"));
    assertTrue(err.toString().contains("leave out --config and --set"), err.toString());
  }

  @Test
  void devicesListsWhatIsConfigured() {
    assertEquals(
        0, run("devices", "--set", "device.mine.addresses=127.0.0.64", "--set", "udp-port=47933"));
    assertTrue(out.toString().contains("  mine  state active"), out.toString());
  }
}
