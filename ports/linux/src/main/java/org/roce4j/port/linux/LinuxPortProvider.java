package org.roce4j.port.linux;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.text.Wording;

/** Opens ports on UDP sockets of Linux; the preferred transport if it works. */
public final class LinuxPortProvider implements PortProvider {
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "x86_64", "aarch64", "riscv64");

  @Override
  public String name() {
    return "linux";
  }

  @Override
  public int priority() {
    return 100;
  }

  @Override
  public Optional<String> unavailable() {
    String system = System.getProperty("os.name");
    if (!"Linux".equals(system)) {
      return Optional.of("needs Linux, this is " + system);
    }
    String architecture = System.getProperty("os.arch");
    if (!ARCHITECTURES.contains(architecture) || ValueLayout.ADDRESS.byteSize() != 8) {
      return Optional.of("knows the socket interface of " + ARCHITECTURES + " only");
    }
    try {
      Libc.probe();
      return Optional.empty();
    } catch (LinkageError | IllegalCallerException | UnsupportedOperationException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      Module self = LinuxPortProvider.class.getModule();
      return Optional.of(
          Wording.of(
              "native access failed (%s); try --enable-native-access=%s",
              cause.getMessage(), self.isNamed() ? self.getName() : "ALL-UNNAMED"));
    }
  }

  @Override
  public Port open(PortOptions options) {
    return new LinuxPort(options);
  }

  @Override
  public List<Port> openSeveral(PortOptions options, int count) {
    return count == 1 ? List.of(open(options)) : LinuxPort.several(options, count);
  }
}
