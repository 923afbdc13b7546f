package org.roce4j.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.hardware.bindings.Libibverbs;
import org.roce4j.hardware.bindings.LibraryMissing;
import org.roce4j.verbs.VerbsProvider;

@EnabledOnOs(OS.LINUX)
class HardwareProviderTest {
  @TempDir private Path sysfs;

  @Test
  void isFoundAsAService() {
    List<String> found =
        ServiceLoader.load(VerbsProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(HardwareProvider.class::isInstance) // the emulator is there for other tests
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
    HardwareProvider provider = new HardwareProvider(sysfs, library);
    assertEquals(List.of(), provider.devices());
    return provider.unavailable().orElseThrow();
  }
}
