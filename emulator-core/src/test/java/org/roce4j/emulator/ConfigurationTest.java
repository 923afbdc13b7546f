package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.Limit;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.capture.CaptureExtent;

class ConfigurationTest {
  @TempDir private Path directory;

  private final Map<String, String> flags = new HashMap<>();
  private final Map<String, String> properties = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();

  private Configuration load() {
    return Configuration.load(flags, properties, environment, directory);
  }

  private String refusal() {
    VerbsException refused = refused(Errno.EINVAL, this::load);
    return refused.remedy().replace(directory + "/", "");
  }

  private void file(String text) throws IOException {
    Files.writeString(directory.resolve("roce4j.properties"), text);
  }

  @Test
  void nothingSaidNamesNoDeviceAndChangesNothing() {
    assertEquals(List.of(), load().devices());
    DeviceOptions options = DeviceOptions.of("roce0", Gid.parse("127.0.0.1"));
    assertEquals(options, load().applyTo(options));
  }

  /** The format keeps trailing blanks, which would make a number or a name invalid. */
  @Test
  void blanksBehindAValueInAFileAreNoPartOfIt() throws IOException {
    file("mtu = 1024 \ndevice.roce0.addresses = 127.0.0.1 \t\ncapture = {device}.pcapng  \n");
    DeviceOptions options = load().devices().getFirst();
    assertEquals(1024, options.activeMtu().bytes());
    assertEquals("roce0.pcapng", options.capture().toString());
  }

  @Test
  void aFileNamesDevicesInItsOrder() throws IOException {
    file(
        """
        # two devices
        mtu = 1024
        device.left.addresses = 127.0.0.1, ::1
        device.left.udp-port = 0x5000
        device.east-2.addresses = 127.0.0.2
        device.east-2.mtu = 2048
        device.east-2.limits.max-qp = 12
        capture = /tmp/{device}.pcapng
        snaplen = 128
        """);
    Configuration configuration = load();
    assertEquals(directory.resolve("roce4j.properties"), configuration.file().orElseThrow());
    DeviceOptions left = configuration.devices().getFirst();
    DeviceOptions east = configuration.devices().getLast();
    assertEquals("left", left.name());
    assertEquals(List.of(Gid.parse("127.0.0.1"), Gid.parse("::1")), left.addresses());
    assertEquals(0x5000, left.udpPort());
    assertEquals(Mtu.MTU_1024, left.activeMtu());
    assertEquals(Path.of("/tmp/left.pcapng"), left.capture());
    assertEquals(128, left.snaplen());
    assertEquals("east-2", east.name());
    assertEquals(Mtu.MTU_2048, east.activeMtu());
    assertEquals(12, east.limits().get(Limit.MAX_QP));
  }

  @Test
  void aSemicolonBeginsTheAddressesOfAnotherPort() throws IOException {
    file("device.dual.addresses = 127.0.0.1, ::1; 127.0.0.2\n");
    assertEquals(
        List.of(List.of(Gid.parse("127.0.0.1"), Gid.parse("::1")), List.of(Gid.parse("127.0.0.2"))),
        load().devices().getFirst().ports());
    for (String wrong : List.of("::1;", "::1; ::1", ";::1", "::1; ,", "::1,", ",::1")) {
      file("device.dual.addresses = " + wrong + "\n");
      assertThrows(VerbsException.class, () -> load().devices());
    }
  }

  @Test
  void flagsOverridePropertiesOverrideEnvironmentOverridesTheFile() throws IOException {
    file("mtu=256\nseed=1\nudp-port=1001\ngid-index=1\n");
    environment.put("ROCE4J_SEED", "2");
    environment.put("ROCE4J_UDP_PORT", "1002");
    environment.put("ROCE4J_GID_INDEX", "2");
    properties.put("roce4j.udp-port", "1003");
    properties.put("roce4j.gid-index", "3");
    flags.put("gid-index", "4");
    DeviceOptions options = load().applyTo(DeviceOptions.of("any"));
    assertEquals(Mtu.MTU_256, options.activeMtu());
    assertEquals(2, options.seed());
    assertEquals(1003, options.udpPort());
    assertEquals(4, options.firstGidIndex());
  }

  @Test
  void whatIsSaidAboutADeviceOverridesWhatIsSaidAboutAll() throws IOException {
    file("device.a.addresses=127.0.0.1\ndevice.a.mtu=512\n");
    flags.put("mtu", "4096");
    assertEquals(Mtu.MTU_512, load().devices().getFirst().activeMtu());
  }

  @Test
  void theEnvironmentNamesDevicesInCapitals() throws IOException {
    file("device.east-2.addresses=127.0.0.1\n");
    environment.put("ROCE4J_DEVICE_EAST_2_LIMITS_MAX_QP", "7");
    environment.put("ROCE4J_DEVICE_NEW_ONE_ADDRESSES", "127.0.0.9");
    List<DeviceOptions> devices = load().devices();
    assertEquals(List.of("east-2", "new_one"), devices.stream().map(DeviceOptions::name).toList());
    assertEquals(7, devices.getFirst().limits().get(Limit.MAX_QP));
  }

  /** Variables and properties of other programs may be called anything. */
  @Test
  void whatIsSaidToOthersIsNotRead() throws IOException {
    file("mtu=256\ndevice.east-2.addresses=127.0.0.1\n");
    environment.put("PATH", "/bin");
    environment.put("FOREIGNMTU", "512");
    properties.put("os", "any");
    environment.put("ROCE4J_DEVICE_EAST_2_SEED", "7");
    DeviceOptions only = load().devices().getFirst();
    assertEquals("east-2", only.name());
    assertEquals(Mtu.MTU_256, only.activeMtu());
    assertEquals(7, only.seed());
  }

  /** In each place: silence would let a program run on other addresses than its user meant. */
  @Test
  void addressesThatNameNoDeviceAreRefusedInEachPlace() {
    String why = ": say of which device: device.NAME.addresses";
    environment.put("ROCE4J_ADDRESSES", "127.0.0.1");
    assertEquals("ROCE4J_ADDRESSES" + why, refusal());
    environment.clear();
    properties.put("roce4j.addresses", "127.0.0.1");
    assertEquals("-Droce4j.addresses" + why, refusal());
    properties.clear();
    flags.put("addresses", "127.0.0.1");
    assertEquals("--set addresses" + why, refusal());
  }

  @Test
  void aVariableOfADeviceWithoutANameIsAnError() {
    environment.put("ROCE4J_DEVICE__MTU", "256");
    assertTrue(refusal().startsWith("ROCE4J_DEVICE__MTU: a device's key is"), refusal());
  }

  @Test
  void aPropertyOfADeviceIsCheckedAsOneOfAll() {
    properties.put("roce4j.device.a.addresses", "127.0.0.9");
    properties.put("roce4j.device.a.mtu", "512");
    assertEquals(Mtu.MTU_512, load().devices().getFirst().activeMtu());
    properties.put("roce4j.device.a.mut", "512");
    assertTrue(refusal().startsWith("-Droce4j.device.a.mut: there is no setting 'mut'"), refusal());
  }

  @Test
  void aFlagThatIsNoSettingIsAnError() {
    flags.put("mut", "512");
    assertTrue(refusal().startsWith("--set mut: there is no setting 'mut'"), refusal());
  }

  @Test
  void theSystemPropertiesOfThisProcessAreRead() {
    System.setProperty("roce4j.config", directory.resolve("none").toString());
    try {
      refused(Errno.EIO, Configuration::load);
      EmulatorProvider provider = new EmulatorProvider();
      assertEquals(List.of(), provider.devices());
      assertTrue(provider.unavailable().orElseThrow().contains("none"));
    } finally {
      System.clearProperty("roce4j.config");
    }
  }

  @Test
  void anEmptyNameOfAFileLeavesTheUsualOne() throws IOException {
    file("mtu = 256");
    environment.put("ROCE4J_CONFIG", "");
    assertEquals(Mtu.MTU_256, load().applyTo(DeviceOptions.of("any")).activeMtu());
  }

  @Test
  void aFileThatIsNoTextIsRefusedByName() throws IOException {
    Files.write(directory.resolve("roce4j.properties"), new byte[] {'m', (byte) 0xff, '='});
    assertEquals("roce4j.properties is not UTF-8 text", refusal());
  }

  @ParameterizedTest
  @CsvSource({
    "env, other.properties",
    "property, other.properties",
    "flag, other.properties",
  })
  void anotherFileCanBeNamed(String by, String name) throws IOException {
    file("mtu = 256");
    Files.writeString(directory.resolve(name), "mtu = 512");
    switch (by) {
      case "env" -> environment.put("ROCE4J_CONFIG", name);
      case "property" -> properties.put("roce4j.config", name);
      default -> flags.put("config", name);
    }
    assertEquals(Mtu.MTU_512, load().applyTo(DeviceOptions.of("any")).activeMtu());
  }

  @Test
  void aNamedFileThatIsMissingIsAnError() {
    environment.put("ROCE4J_CONFIG", "missing.properties");
    VerbsException refused = refused(Errno.EIO, this::load);
    assertTrue(refused.remedy().contains("missing.properties"), refused.remedy());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mut=1024 | roce4j.properties: mut: there is no setting 'mut'; did you mean 'mtu'?",
        "device.a.adresses=::1"
            + " | roce4j.properties: device.a.adresses: there is no setting 'adresses'; did you"
            + " mean 'addresses'?",
        "limits.max-pq=1"
            + " | roce4j.properties: limits.max-pq: there is no setting 'limits.max-pq'; did you"
            + " mean 'limits.max-qp'?",
        "addresses=::1"
            + " | roce4j.properties: addresses: say of which device: device.NAME.addresses",
        "device.mtu=256"
            + " | roce4j.properties: device.mtu: a device's key is device.NAME.SETTING, its name"
            + " made of letters, digits, - and _",
        "device.a.mtu=256"
            + " | roce4j.properties: device.a.mtu: the device has no address; add"
            + " device.a.addresses, such as 127.0.0.1",
        "mtu=1500" + " | roce4j.properties: mtu=1500: give one of 256, 512, 1024, 2048, 4096",
        "udp-port=0 | roce4j.properties: udp-port=0: give a whole number from 1 to 65535",
        "seed=x | roce4j.properties: seed=x: give a whole number",
        "engines=3 | roce4j.properties: engines=3: give 1, 2, 4, 8 or 16",
        "engines=17 | roce4j.properties: engines=17: give a whole number from 1 to 16",
        "capture-packets=1+ | roce4j.properties: capture-packets=1+: give a whole number",
        "icrc=no | roce4j.properties: icrc=no: give on or off",
        "transport=ethernet" + " | roce4j.properties: transport=ethernet: give one of auto",
        "faults=explode | 'explode' is no fault",
        "capture=one.pcapng"
            + " | roce4j.properties: capture=one.pcapng: devices cannot share a file; put {device}"
            + " into its name",
        "device.a.addresses=localhost"
            + " | roce4j.properties: device.a.addresses=localhost: 'localhost' is not an IPv4 or"
            + " IPv6 address literal",
        "device.a.addresses=224.0.0.1"
            + " | roce4j.properties: device.a.addresses=224.0.0.1: 224.0.0.1 cannot be the address"
            + " of a device",
        "device.a.addresses=::1,::1"
            + " | roce4j.properties: device.a.addresses=::1,::1: 0:0:0:0:0:0:0:1 is named twice",
        "device.ä.mtu=256 | roce4j.properties: device.ä.mtu: a device's key is device.NAME.SETTING",
        "mtu=\\u12xy | roce4j.properties: Malformed",
        "limits.max-qp=0 | limits.max-qp=0: give a whole number from 1 to 1048576",
      })
  void aFileThatCannotBeObeyedSaysWhereAndWhatInstead(String line, String expected)
      throws IOException {
    file(line);
    String refusal = refusal();
    assertTrue(refusal.contains(expected), () -> refusal + "\nlacks\n" + expected);
  }

  @Test
  void aKeySaidTwiceIsAnError() throws IOException {
    file("mtu=256\nmtu=512\n");
    assertEquals("roce4j.properties: mtu is said twice", refusal());
  }

  @Test
  void mistypedVariablesAndPropertiesAreErrorsThoseOfOthersAreNot() {
    environment.put("ROCE4J_JAVA_OPTS", "-Xmx1g");
    environment.put("ROCE4J_SEEDS", "10000");
    properties.put("roce4j.simulation.iterations", "3");
    load();
    environment.put("ROCE4J_TRANPORT", "linux");
    assertEquals(
        "ROCE4J_TRANPORT: there is no such setting; did you mean 'ROCE4J_TRANSPORT'?", refusal());
    environment.remove("ROCE4J_TRANPORT");
    environment.put("ROCE4J_DEVICE_A_ADDRESS", "::1");
    assertEquals(
        "ROCE4J_DEVICE_A_ADDRESS: no setting ends so; docs/configuration.md lists them", refusal());
    environment.remove("ROCE4J_DEVICE_A_ADDRESS");
    properties.put("roce4j.udpport", "5000");
    assertEquals(
        "roce4j.udpport: there is no such setting; did you mean 'roce4j.udp-port'?", refusal());
  }

  @Test
  void badValuesNameTheVariablePropertyOrFlag() {
    environment.put("ROCE4J_MTU", "9000");
    assertTrue(refusal().startsWith("ROCE4J_MTU=9000: "), refusal());
    environment.clear();
    properties.put("roce4j.mtu", "9000");
    assertTrue(refusal().startsWith("-Droce4j.mtu=9000: "), refusal());
    properties.clear();
    flags.put("mtu", "9000");
    assertTrue(refusal().startsWith("--set mtu=9000: "), refusal());
  }

  static List<Setting> settings() {
    return Setting.ALL;
  }

  @ParameterizedTest
  @MethodSource("settings")
  void everySettingTakesItsDefault(Setting setting) throws IOException {
    String value = setting.fallback().replaceAll("^`([^`]*)`.*", "$1");
    if (value.equals(setting.fallback())) {
      return; // a default that is described in words
    }
    DeviceOptions usual = DeviceOptions.of("a", Gid.parse("::1"));
    assertEquals(usual, setting.change().apply(usual, value));
  }

  @ParameterizedTest
  @CsvSource({"20000+2000, 20000, 2000", "0 + 7, 0, 7", "20, 20, 0"})
  void aCaptureKeepsTheFirstPacketsAndTheLast(String value, int first, int last) {
    flags.put("capture-packets", value);
    assertEquals(
        new CaptureExtent(first, last), load().applyTo(DeviceOptions.of("any")).captureExtent());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16})
  void enginesAreAPowerOfTwo(int engines) {
    flags.put("engines", Integer.toString(engines));
    assertEquals(engines, load().applyTo(DeviceOptions.of("any")).engines());
  }

  @Test
  void theProviderListsConfiguredDevicesAndTheSameOnesAgain() throws IOException {
    file("device.here.addresses=127.0.0.77\n");
    EmulatorProvider provider = new EmulatorProvider(load());
    List<RdmaDevice> devices = provider.devices();
    assertEquals(List.of("here"), devices.stream().map(RdmaDevice::name).toList());
    assertEquals(devices, new EmulatorProvider(load()).devices());
    assertTrue(provider.unavailable().isEmpty());
  }

  /** Two on loopback, and one for each interface that is up and has an address for it. */
  @Test
  void theUsualDevicesAreThoseOfTheInterfaces() throws IOException {
    Map<String, Long> expected = new HashMap<>();
    expected.put("roce0", SocketDevice.guidOf(Gid.parse("127.0.0.1")));
    if (!OS.MAC.isCurrentOs()) {
      expected.put("roce1", SocketDevice.guidOf(Gid.parse("127.0.0.2")));
    }
    for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      if (each.isUp() && !each.isLoopback()) {
        Collections.list(each.getInetAddresses()).stream()
            .filter(EmulatorProvider::isForDevices)
            .findFirst()
            .ifPresent(
                first ->
                    expected.put("roce_" + each.getName(), SocketDevice.guidOf(Gid.of(first))));
      }
    }
    Map<String, Long> listed = new HashMap<>();
    new EmulatorProvider(Configuration.EMPTY)
        .devices()
        .forEach(each -> listed.put(each.name(), each.guid()));
    assertEquals(expected, listed);
  }

  @Test
  void withoutConfiguredDevicesTheUsualOnesFollowWhatIsSaidAboutAll() {
    List<RdmaDevice> usual = new EmulatorProvider(Configuration.EMPTY).devices();
    assertTrue(usual.stream().map(RdmaDevice::name).anyMatch("roce0"::equals));
    flags.put("udp-port", "5001");
    List<RdmaDevice> changed = new EmulatorProvider(load()).devices();
    assertEquals(
        usual.stream().map(RdmaDevice::name).toList(),
        changed.stream().map(RdmaDevice::name).toList());
    assertNotEquals(usual, changed);
    assertFalse(usual.isEmpty());
  }
}
