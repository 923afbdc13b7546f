package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

class DeviceAddressesTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, it stands for every address",
    "::, it stands for every address",
    "224.0.0.1, it is a multicast group",
    "239.255.255.255, it is a multicast group",
    "ff02::1, it is a multicast group",
    "255.255.255.255, it is the broadcast address",
  })
  void anAddressThatNamesNoSingleEndIsRefused(String address, String why) {
    Gid gid = Gid.parse(address);
    VerbsException refusal =
        refused(Errno.EINVAL, () -> Emulator.device(DeviceOptions.of("refused", gid)));
    assertTrue(refusal.remedy().contains(why), refusal.remedy());
    assertTrue(refusal.remedy().contains("name one address of this machine"), refusal.remedy());
    try (FabricDevices fabric = new FabricDevices(FabricOptions.of(1))) {
      refused(Errno.EINVAL, () -> fabric.device("refused", gid));
    }
  }

  @Test
  void aDeviceNeedsAnAddressAndEachOnce() {
    refused(Errno.EINVAL, () -> DeviceAddresses.check(List.of()));
    Gid gid = Gid.parse("127.0.0.1");
    refused(Errno.EINVAL, () -> DeviceAddresses.check(List.of(gid, gid)));
  }

  @Test
  void soDoesEachPortAndOneThatIsAddedIsChecked() {
    Gid gid = Gid.parse("10.0.0.1");
    DeviceOptions bare = DeviceOptions.of("refused", gid).withPort();
    refused(Errno.EINVAL, () -> Emulator.device(bare));
    try (FabricDevices fabric = new FabricDevices(FabricOptions.of(1))) {
      refused(Errno.EINVAL, () -> fabric.device(bare));
      EmulatedDevice device = fabric.device("sound", gid);
      for (String wrong : List.of("224.0.0.1", "0.0.0.0", "255.255.255.255")) {
        VerbsException refusal =
            refused(Errno.EINVAL, () -> device.addAddress(1, Gid.parse(wrong)));
        assertTrue(refusal.remedy().contains("cannot be the address of a device"), refusal::remedy);
      }
      refused(Errno.EINVAL, () -> device.addAddress(1, null));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "10.255.255.1",
        "fe80::1",
        "::1",
        "240.0.0.1",
        "fd00::1:0:0",
        "fd00::ffff:ffff"
      })
  void anyOtherAddressMayBe(String address) {
    assertDoesNotThrow(() -> DeviceAddresses.check(List.of(Gid.parse(address))));
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere loopback may be no subnet")
  void theBroadcastAddressOfASubnetIsRefused() {
    assertDoesNotThrow(() -> DeviceAddresses.checkLocal(List.of(Gid.parse("127.0.0.255"))));
    VerbsException refusal =
        refused(
            Errno.EADDRNOTAVAIL,
            () -> DeviceAddresses.checkLocal(List.of(Gid.parse("127.255.255.255"))));
    assertEquals(
        "127.255.255.255 is the broadcast address of lo; use 127.0.0.1, for example",
        refusal.remedy());
  }

  /**
   * A subnet of one or two addresses has no broadcast address, nor has the subnet of all addresses.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 8, 23, 24, 29, 30, 31, 32})
  void onlyTheLastAddressOfASubnetIsItsBroadcastAddress(int prefix) {
    int own = 0x0a14_1e28;
    int last = prefix == 32 ? own : own | -1 >>> prefix;
    boolean has = prefix >= 1 && prefix <= 30;
    assertEquals(has, DeviceAddresses.isBroadcast(Gid.ofIpv4(last), own, prefix));
    assertFalse(DeviceAddresses.isBroadcast(Gid.ofIpv4(last - 1), own, prefix));
    assertFalse(DeviceAddresses.isBroadcast(Gid.ofIpv4(last + 1), own, prefix));
    assertFalse(DeviceAddresses.isBroadcast(new Gid(1, last), own, prefix));
  }

  /** Checked among the addresses of an interface. */
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, true",
    "169.254.0.1, true",
    "fd00::1, true",
    "2001:db8::1, true",
    "fe80::1, false",
    "febf::1, false",
  })
  void onlyAnAddressThatNamesAnEndByItselfIsListed(String address, boolean listed) {
    assertEquals(listed, EmulatorProvider.isForDevices(InetAddress.ofLiteral(address)));
  }
}
