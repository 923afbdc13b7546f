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

/** Every command that opens devices takes the same configuration. */
class CommandConfigurationTest {

  /** Addresses of this process alone, so that two builds at the same time do not meet. */
  private final StringWriter out = new StringWriter();

  private final StringWriter err = new StringWriter();

  /** Runs a command line, split at spaces, and demands this exit status. */
  private void exits(int status, String line) {
    int found =
        Roce4j.run(new PrintWriter(out, true), new PrintWriter(err, true), false, line.split(" "));
    assertEquals(status, found, () -> line + "\n" + out + err);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "devices",
        "devinfo",
        "doctor",
        "pingpong --iters 1",
        "perf send_lat -n 1",
        "rping -c -a 127.0.0.1"
      })
  void anUnknownSettingIsNamedWithTheOneThatWasMeant(String command) {
    exits(command.equals("doctor") ? 1 : 2, command + " --set mtuu=1024");
    String said = out.toString() + err;
    assertTrue(said.contains("--set mtuu: there is no setting 'mtuu'; did you mean 'mtu'?"), said);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mtu=999",
        "engines=x",
        "capture-packets=1+",
        "transport=smoke",
        "faults=x=1",
        "device.roce0.addresses=nowhere",
        "udp-port=70000"
      })
  void aWrongValueIsAWrongCommandLine(String setting) {
    exits(2, "pingpong --iters 1 --set " + setting);
    assertTrue(err.toString().contains(setting.replaceFirst("=.*", "")), err.toString());
    exits(2, "devinfo --set " + setting);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"devices", "devinfo", "doctor", "pingpong --iters 1", "perf send_lat -n 1"})
  void aConfigurationThatIsNotThereIsNamed(String command) {
    exits(command.equals("doctor") ? 1 : 2, command + " --config nowhere.properties");
    String said = out.toString() + err;
    assertTrue(said.contains("nowhere.properties cannot be read"), said);
  }

  /** The commands with {@code --set}, which are those that open devices. */
  private static final Set<String> OPEN_DEVICES =
      Set.of(
          "devices",
          "devinfo",
          "doctor",
          "pingpong",
          "perf",
          "rping",
          "rdma-client",
          "rdma-xserver",
          "rdma-xclient",
          "rdma-server",
          "ucmatose",
          "udaddy",
          "mckey",
          "cmtime");

  /** A new command that opens devices must be in this list. */
  @Test
  void theOthersOpenNoneOrNoneButTheirOwn() {
    Map<String, CommandLine> commands = Roce4j.commandLine().getSubcommands();
    commands.forEach(
        (name, command) ->
            assertEquals(
                OPEN_DEVICES.contains(name),
                command.getCommandSpec().findOption("--set") != null,
                name));
  }

  @Test
  void aSettingReachesTheDevicesThatPingpongMakes() {
    exits(
        0,
        "pingpong -u 20 --iters 2 --set transport=netty --set udp-port=24931 --bind "
            + OwnNetwork.address(61)
            + ","
            + OwnNetwork.address(62));
    assertTrue(out.toString().contains("transport: netty"), out.toString());
  }

  @Test
  void aConfiguredDeviceCanPlay() {
    exits(
        0,
        "pingpong -u 20 --iters 2 --device mine --set device.mine.addresses="
            + OwnNetwork.address(63)
            + " --set udp-port=24932");
    assertTrue(
        out.toString().contains("device mine, address " + OwnNetwork.address(63)), out.toString());
  }

  @Test
  void theFabricTakesNoSettings() {
    exits(2, "pingpong --transport fabric --set mtu=512");
    assertTrue(err.toString().contains("leave out --config and --set"), err.toString());
  }

  @Test
  void devicesListsWhatIsConfigured() {
    exits(
        0,
        "devices --set device.mine.addresses=" + OwnNetwork.address(64) + " --set udp-port=24933");
    assertTrue(out.toString().contains("  mine  state active"), out.toString());
  }
}
