package org.roce4j.hardware.bindings;

import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.IbvDevice;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Compares {@link Structures} with objects of the library wherever a field's value is known. If a
 * structure differs, it is refused with ELIBBAD before anything is read or written by its layout.
 */
public final class LayoutCheck {
  private static final int MOST_VECTORS = 1 << 16;

  private LayoutCheck() {}

  /** The name lies where {@code ibv_get_device_name} says. */
  public static void device(Libibverbs library, Frame frame, long device) {
    same("ibv_device.name", library.getDeviceName(frame, device), device + IbvDevice.NAME);
  }

  /** A context just opened: the device it belongs to, two open descriptors, at least one vector. */
  public static void context(long context, long device) {
    var structure = Memory.at(context, IbvContext.SIZE);
    same("ibv_context.device", device, Memory.i64(structure, IbvContext.DEVICE));
    for (int field : new int[] {IbvContext.CMD_FD, IbvContext.ASYNC_FD}) {
      int descriptor = Memory.i32(structure, field);
      demand(
          descriptor > 2 && Descriptors.isOpen(descriptor),
          "struct ibv_context has no open descriptor at offset " + field);
    }
    int vectors = Memory.i32(structure, IbvContext.NUM_COMP_VECTORS);
    demand(vectors >= 1 && vectors <= MOST_VECTORS, "ibv_context.num_comp_vectors is " + vectors);
  }

  /**
   * Refuses if a field of a new object has another value than expected.
   *
   * @param field name for messages, such as {@code ibv_qp.pd}
   */
  public static void same(String field, long expected, long actual) {
    demand(
        expected == actual,
        field + " is " + Long.toHexString(actual) + ", not " + Long.toHexString(expected));
  }

  static void demand(boolean right, String what) {
    if (!right) {
      throw new VerbsException(
          Errno.ELIBBAD,
          "libibverbs' structures differ from those of rdma-core 44 ("
              + what
              + "): use a release of rdma-core with the same ABI, libibverbs.so.1");
    }
  }
}
