package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Contracts of ports are skipped where a port is unavailable, so this one must not be. */
class LinuxPortProviderTest {
  @Test
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = {"amd64", "x86_64", "aarch64", "riscv64"})
  void linuxOnAKnownProcessorHasIt() {
    assertEquals(Optional.empty(), new LinuxPortProvider().unavailable());
  }
}
