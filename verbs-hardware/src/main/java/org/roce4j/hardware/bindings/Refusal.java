package org.roce4j.hardware.bindings;

import java.util.Map;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The errno of a function of libibverbs, as an exception with a remedy. */
public final class Refusal {
  private static final String BUSY = "something made from it still exists: close that first";

  /** The meanings of an errno for every function. */
  private static final Map<Errno, String> GENERAL =
      Map.ofEntries(
          Map.entry(Errno.EPERM, "the state of the object or your rights forbid it"),
          Map.entry(
              Errno.EACCES,
              "your user may not use the device: as root, or in the group that owns"
                  + " /dev/infiniband/uverbs*"),
          Map.entry(Errno.EBUSY, BUSY),
          Map.entry(
              Errno.EINVAL,
              "the device refuses the arguments: compare them with its limits"
                  + " (Context.queryDevice) and the object's state"),
          Map.entry(Errno.EFAULT, "part of the memory is not mapped, or not writable"),
          Map.entry(Errno.ENOMEM, "the device's limit is reached, or the system is out of memory"),
          Map.entry(Errno.ENOSYS, "the device's driver does not implement this"),
          Map.entry(Errno.EOPNOTSUPP, "the device does not support this"),
          Map.entry(Errno.EPROTONOSUPPORT, "the device does not support this"),
          Map.entry(Errno.ENODEV, "the device is gone: list the devices again"),
          Map.entry(Errno.EIO, "the device failed or is gone: list the devices again"),
          Map.entry(Errno.EMFILE, "too many open files: raise ulimit -n"),
          Map.entry(Errno.EAGAIN, "the device has no room now: take completions or close objects"));

  /** The meanings of an errno for one function. */
  private static final Map<String, Map<Errno, String>> SPECIAL =
      Map.of(
          "ibv_open_device",
          Map.of(
              Errno.EPERM,
              "the container or a security policy forbids /dev/infiniband/uverbs*: pass the device"
                  + " on (docker run --device=/dev/infiniband)",
              Errno.ENOENT,
              "there is no /dev/infiniband/uverbs* for it: load ib_uverbs, or pass the device on to"
                  + " the container",
              Errno.ENODEV,
              "the device is gone, or its userspace driver is not installed (Debian:"
                  + " ibverbs-providers)",
              Errno.ENXIO,
              "there is no /dev/infiniband/uverbs* for it: load ib_uverbs"),
          "ibv_fork_init",
          Map.of(
              Errno.EINVAL,
              "memory is registered already: call it before anything else of the verbs"),
          "ibv_reg_mr",
          Map.of(
              Errno.ENOMEM,
              "registered memory is pinned: raise the limit (ulimit -l, RLIMIT_MEMLOCK), or"
                  + " register less",
              Errno.EINVAL,
              "the device refuses these rights, this length, or an iova that differs from the"
                  + " address within a page"),
          "ibv_create_qp",
          Map.of(
              Errno.EINVAL,
              "capabilities beyond the device's limits, or objects that do not belong together",
              Errno.ENOMEM,
              "the device's limit of queue pairs is reached, or the queues are too long"),
          "ibv_modify_qp",
          Map.of(
              Errno.EINVAL,
              "the transition lacks an attribute, has one too many, or a value is out of range"),
          "rdma_create_event_channel",
          Map.of(
              Errno.ENODEV,
              "there is no /dev/infiniband/rdma_cm: load rdma_ucm, or pass it on to the container",
              Errno.ENOENT,
              "there is no /dev/infiniband/rdma_cm: load rdma_ucm, or pass it on to the container"),
          "rdma_bind_addr",
          Map.of(
              Errno.EADDRNOTAVAIL,
              "no network interface has the address",
              Errno.ENODEV,
              "no RDMA device has the address",
              Errno.EADDRINUSE,
              "another id listens at the port",
              Errno.EINVAL,
              "the id is bound already"),
          "ibv_create_ah",
          Map.of(
              Errno.EINVAL,
              "RoCE needs a global route with a GID index that is in use on that port",
              Errno.ETIMEDOUT,
              "the destination did not answer ARP or neighbour discovery",
              Errno.EHOSTUNREACH,
              "there is no route to the destination"));

  private Refusal() {}

  /**
   * Makes the exception.
   *
   * @param function the C function, such as {@code ibv_reg_mr}
   * @param number the errno; 0 and unknown numbers count as EIO
   */
  public static VerbsException of(String function, int number) {
    Errno known = Errno.of(number);
    Errno errno = known == null ? Errno.EIO : known;
    String remedy = SPECIAL.getOrDefault(function, Map.of()).get(errno);
    if (remedy == null) {
      remedy = GENERAL.getOrDefault(errno, errno.text());
    }
    String unknown = known == null ? " (errno " + number + ")" : "";
    return new VerbsException(errno, function + unknown + ": " + remedy);
  }
}
