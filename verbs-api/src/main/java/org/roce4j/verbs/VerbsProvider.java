package org.roce4j.verbs;

import java.util.List;
import java.util.Optional;

/**
 * A backend: it lists its devices. Found by {@link java.util.ServiceLoader}. Listing opens nothing:
 * no socket is bound and no memory reserved before {@link RdmaDevice#open()}.
 */
public interface VerbsProvider {
  /** A short name such as {@code emulator} or {@code hardware}. */
  String name();

  /** The devices of this backend now; empty when there are none. Never throws. */
  List<RdmaDevice> devices();

  /** Why this backend has no devices, and how to get some; empty when it works. */
  Optional<String> unavailable();

  /**
   * {@code ibv_fork_init}; see {@link Verbs#forkInit}. Does nothing by default.
   *
   * @throws VerbsException EINVAL if it is too late, ENOSYS if the kernel cannot do it
   */
  default void forkInit() {}

  /** {@code ibv_is_fork_initialized}. */
  default ForkStatus forkStatus() {
    return ForkStatus.UNNEEDED;
  }

  /**
   * {@code ibv_import_device}; see {@link Verbs#importDevice}. Empty: contexts of this backend
   * cannot be shared by processes.
   *
   * @throws VerbsException EBADF or EINVAL for a descriptor of something else
   */
  default Optional<Context> importDevice(int cmdFd) {
    return Optional.empty();
  }
}
