package org.roce4j.verbs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.StringJoiner;

/** The list of all devices of all backends ({@code ibv_get_device_list}). Thread-safe. */
public final class Verbs {
  private Verbs() {}

  /** Every backend on the class or module path, in the order the service loader finds them. */
  public static List<VerbsProvider> providers() {
    List<VerbsProvider> found = new ArrayList<>();
    for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
      found.add(provider);
    }
    return List.copyOf(found);
  }

  /**
   * {@code ibv_fork_init}, for every backend: registered memory of this process survives a fork.
   * Java's own {@link ProcessBuilder} needs it only with drivers that pin pages; call it before
   * anything else of the verbs.
   *
   * @throws VerbsException EINVAL if it is too late, ENOSYS if the kernel cannot do it
   */
  public static void forkInit() {
    providers().forEach(VerbsProvider::forkInit);
  }

  /** {@code ibv_is_fork_initialized}: the weakest status of all backends. */
  public static ForkStatus forkStatus() {
    return providers().stream()
        .map(VerbsProvider::forkStatus)
        .min(Comparator.naturalOrder())
        .orElse(ForkStatus.UNNEEDED);
  }

  /**
   * {@code ibv_import_device}: a context of a device that another process opened, made of its
   * command descriptor, which the context owns from then on.
   *
   * @param cmdFd {@link Context#cmdFd} of the other process, passed over a UNIX socket
   * @throws VerbsException EOPNOTSUPP if no backend can; EBADF or EINVAL for another descriptor
   */
  public static Context importDevice(int cmdFd) {
    for (VerbsProvider provider : providers()) {
      Optional<Context> imported = provider.importDevice(cmdFd);
      if (imported.isPresent()) {
        return imported.get();
      }
    }
    throw Errno.EOPNOTSUPP.refusal(
        "no device here can be shared by processes: an emulated device lives in one process");
  }

  /** Every device of every backend; nothing is opened by listing. */
  public static List<RdmaDevice> devices() {
    List<RdmaDevice> devices = new ArrayList<>();
    for (VerbsProvider provider : providers()) {
      devices.addAll(provider.devices());
    }
    return List.copyOf(devices);
  }

  /**
   * The device with this name.
   *
   * @throws VerbsException ENODEV, naming the devices that exist and why backends have none, or the
   *     artifacts to add where there is no backend
   */
  public static RdmaDevice device(String name) {
    RequiredArgument.check(name, "name");
    List<VerbsProvider> providers = providers();
    if (providers.isEmpty()) {
      throw Errno.ENODEV.refusal(
          "there is no backend on the class or module path; add the artifact"
              + " org.roce4j:roce4j-emulator, a device in software, or org.roce4j:roce4j-hardware,"
              + " the devices of libibverbs");
    }
    List<RdmaDevice> devices = devices();
    StringJoiner names = new StringJoiner(", ");
    for (RdmaDevice device : devices) {
      if (device.name().equals(name)) {
        return device;
      }
      names.add(device.name());
    }
    StringBuilder reasons = new StringBuilder();
    for (VerbsProvider provider : providers) {
      provider
          .unavailable()
          .ifPresent(why -> reasons.append("; ").append(provider.name()).append(": ").append(why));
    }
    throw new VerbsException(
        Errno.ENODEV,
        "no device is called '"
            + name
            + "'; there are: "
            + (names.length() == 0 ? "none" : names)
            + reasons);
  }
}
