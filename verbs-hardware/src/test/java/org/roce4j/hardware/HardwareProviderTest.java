package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.hardware.bindings.Libibverbs;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.LibraryMissing;
import org.roce4j.hardware.bindings.Librdmacm;
import org.roce4j.hardware.bindings.Structures.IbvDevice;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;

@EnabledOnOs(OS.LINUX)
class HardwareProviderTest {
  @TempDir private Path sysfs;

  @Test
  void isFoundAsAService() {
    List<String> found =
        ServiceLoader.load(VerbsProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(HardwareProvider.class::isInstance) // other tests need the emulator
            .map(VerbsProvider::name)
            .toList();
    assertEquals(List.of("hardware"), found);
  }

  @Test
  void onThisMachineThereAreDevicesOrAReasonWhyNot() {
    HardwareProvider provider = new HardwareProvider();
    assertEquals(provider.devices().isEmpty(), provider.unavailable().isPresent());
  }

  @Test
  void aKernelWithoutDevicesIsToldHowToMakeOne() {
    assertTrue(reason(Libibverbs.NAME).contains("modprobe rdma_rxe"), reason(Libibverbs.NAME));
    assertTrue(reason(Libibverbs.NAME).contains("rdma link add rxe0 type rxe netdev"));
  }

  @Test
  void aKernelThatOffersNothingToProgramsIsToldWhichModuleIsMissing() throws IOException {
    Files.createDirectories(sysfs.resolve("infiniband/mlx5_0"));
    Files.createDirectories(sysfs.resolve("infiniband_verbs"));
    Files.createFile(sysfs.resolve("infiniband_verbs/abi_version"));
    assertEquals(
        "the kernel has mlx5_0 but offers nothing to programs; as root: modprobe ib_uverbs",
        reason(Libibverbs.NAME));
  }

  @Test
  void aMissingLibrarySaysWhichPackageHasIt() throws IOException {
    pretendDevice();
    String reason = reason("libibverbs-that-nobody-has.so.1");
    assertTrue(reason.startsWith("libibverbs-that-nobody-has.so.1 is missing: "), reason);
    assertTrue(reason.contains("libibverbs1 ibverbs-providers"), reason);
  }

  @Test
  void aMissingConnectionManagerIsENODEV() {
    HardwareProvider provider =
        new HardwareProvider(sysfs, Libibverbs.NAME, "librdmacm-that-nobody-has.so.1");
    VerbsException e = refused(Errno.ENODEV, () -> provider.openCmChannel(List.of()));
    assertTrue(e.remedy().contains("librdmacm1"), e::remedy);
  }

  @Test
  void aLibraryThatLacksAFunctionIsNamedWithIt() throws IOException {
    pretendDevice();
    String reason = reason("libc.so.6");
    assertTrue(reason.startsWith("libc.so.6 has no ibv_get_device_list@IBVERBS_1.1: "), reason);
  }

  @Test
  void aDeviceThatTheLibraryDoesNotListLacksItsDriver() throws IOException {
    assumeTrue(new HardwareProvider().devices().isEmpty() && libraryIsInstalled());
    pretendDevice();
    String reason = reason(Libibverbs.NAME);
    assertTrue(reason.contains("the kernel has mlx5_0"), reason);
    assertTrue(reason.contains("ibverbs-providers"), reason);
  }

  private static boolean libraryIsInstalled() {
    try {
      Libibverbs.load(Libibverbs.NAME);
      return true;
    } catch (LibraryMissing e) {
      return false;
    }
  }

  private void pretendDevice() throws IOException {
    Files.createDirectories(sysfs.resolve("infiniband/mlx5_0"));
    Files.createDirectories(sysfs.resolve("infiniband_verbs/uverbs0"));
  }

  private String reason(String library) {
    HardwareProvider provider = new HardwareProvider(sysfs, library, Librdmacm.NAME);
    assertEquals(List.of(), provider.devices());
    return provider.unavailable().orElseThrow();
  }

  /** Each list of devices is freed, whatever came of it. */
  @Test
  @Tag("ibv_get_device_index")
  void whatIsTakenOfTheLibraryIsGivenBack() throws IOException {
    pretendDevice();
    try (Arena arena = Arena.ofShared()) {
      LibraryInJava c = new LibraryInJava(arena, 0);
      MemorySegment device = arena.allocate(IbvDevice.SIZE, 8);
      device.setString(IbvDevice.NAME, "mlx5_0");
      device.setString(IbvDevice.DEV_NAME, "uverbs0");
      device.setString(IbvDevice.DEV_PATH, "/sys/class/infiniband_verbs/uverbs0");
      device.setString(IbvDevice.IBDEV_PATH, "/sys/class/infiniband/mlx5_0");
      MemorySegment list = arena.allocate(16, 8);
      list.set(ADDRESS, 0, device);
      int[] count = {1};
      c.does(
          "ibv_get_device_list",
          a -> {
            LibraryInJava.at(a[0], 4).set(JAVA_INT, 0, count[0]);
            return list.address();
          });
      c.does("ibv_get_device_name", _ -> device.address() + IbvDevice.NAME);
      c.does("ibv_get_device_index", a -> a[0] == device.address() ? 3 : -1);
      HardwareProvider provider = new HardwareProvider(sysfs, c.library());
      List<RdmaDevice> devices = provider.devices();
      assertEquals("mlx5_0", devices.getFirst().name());
      assertEquals("uverbs0", devices.getFirst().devName());
      assertEquals("/sys/class/infiniband_verbs/uverbs0", devices.getFirst().devPath());
      assertEquals("/sys/class/infiniband/mlx5_0", devices.getFirst().ibdevPath());
      assertEquals(3, devices.getFirst().index());
      List<Runnable> uses =
          List.of(
              provider::devices,
              provider::unavailable,
              provider::forkStatus,
              () -> assertThrows(VerbsException.class, () -> devices.getFirst().open()));
      for (int there = 1; there >= 0; there--) {
        count[0] = there;
        uses.forEach(Runnable::run);
      }
      assertEquals(calls(c, "ibv_get_device_list"), calls(c, "ibv_free_device_list"));
      assertTrue(calls(c, "ibv_get_device_list") > uses.size());
    }
  }

  private static long calls(LibraryInJava c, String function) {
    return c.calls.stream().filter(function::equals).count();
  }
}
