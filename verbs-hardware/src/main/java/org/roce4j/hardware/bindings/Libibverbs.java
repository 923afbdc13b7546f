package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.roce4j.verbs.ReregError;
import org.roce4j.verbs.ReregistrationException;
import org.roce4j.verbs.VerbsException;

/**
 * The functions that libibverbs exports. A method of a verb that makes something returns its
 * address; whatever fails throws {@link VerbsException}, unless the method says that it gives the
 * errno. Thread-safe; that an object is not destroyed during a call is the caller's to see to.
 */
public final class Libibverbs {
  /** The library's name for the dynamic linker. */
  public static final String NAME = "libibverbs.so.1";

  private static final String HOW_TO_GET_IT =
      "install rdma-core 33 or newer (Debian, Ubuntu: libibverbs1 ibverbs-providers; Fedora:"
          + " libibverbs)";

  private final NativeFunction getDeviceList;
  private final NativeFunction freeDeviceList;
  private final NativeFunction getDeviceName;
  private final NativeFunction getDeviceGuid;
  private final NativeFunction openDevice;
  private final NativeFunction closeDevice;
  private final NativeFunction queryDevice;
  private final NativeFunction queryPort;
  private final NativeFunction queryGidEx;
  private final NativeFunction queryGidTable;
  private final NativeFunction queryPkey;
  private final NativeFunction allocPd;
  private final NativeFunction deallocPd;
  private final NativeFunction regMr;
  private final NativeFunction reregMr;
  private final NativeFunction deregMr;
  private final NativeFunction createCompChannel;
  private final NativeFunction destroyCompChannel;
  private final NativeFunction createCq;
  private final NativeFunction resizeCq;
  private final NativeFunction destroyCq;
  private final NativeFunction getCqEvent;
  private final NativeFunction ackCqEvents;
  private final NativeFunction createSrq;
  private final NativeFunction modifySrq;
  private final NativeFunction querySrq;
  private final NativeFunction destroySrq;
  private final NativeFunction createQp;
  private final NativeFunction modifyQp;
  private final NativeFunction queryQp;
  private final NativeFunction destroyQp;
  private final NativeFunction createAh;
  private final NativeFunction destroyAh;
  private final NativeFunction attachMcast;
  private final NativeFunction detachMcast;
  private final NativeFunction getAsyncEvent;
  private final NativeFunction ackAsyncEvent;

  private final LaterFunctions later;

  Libibverbs(String name, LibraryFunctions.Lookup lookup) throws LibraryMissing {
    this(new LibraryFunctions(name, "IBVERBS_", HOW_TO_GET_IT, lookup));
  }

  private Libibverbs(LibraryFunctions functions) throws LibraryMissing {
    later = new LaterFunctions(functions.lookup());
    getDeviceList = NativeFunction.ofValue(functions.find("ibv_get_device_list", "1.1"), 1);
    freeDeviceList = NativeFunction.ofNothing(functions.find("ibv_free_device_list", "1.1"), 1);
    getDeviceName = NativeFunction.ofValue(functions.find("ibv_get_device_name", "1.1"), 1);
    getDeviceGuid = NativeFunction.ofValue(functions.find("ibv_get_device_guid", "1.1"), 1);
    openDevice = NativeFunction.ofValue(functions.find("ibv_open_device", "1.1"), 1);
    closeDevice = NativeFunction.ofStatus(functions.find("ibv_close_device", "1.1"), 1);
    queryDevice = NativeFunction.ofStatus(functions.find("ibv_query_device", "1.1"), 2);
    queryPort = NativeFunction.ofStatus(functions.find("ibv_query_port", "1.1"), 3);
    queryGidEx = NativeFunction.ofStatus(functions.find("_ibv_query_gid_ex", "1.11"), 6);
    queryGidTable = NativeFunction.ofValue(functions.find("_ibv_query_gid_table", "1.11"), 5);
    queryPkey = NativeFunction.ofStatus(functions.find("ibv_query_pkey", "1.1"), 4);
    allocPd = NativeFunction.ofValue(functions.find("ibv_alloc_pd", "1.1"), 1);
    deallocPd = NativeFunction.ofStatus(functions.find("ibv_dealloc_pd", "1.1"), 1);
    regMr = NativeFunction.ofValue(functions.find("ibv_reg_mr_iova2", "1.8"), 5);
    reregMr = NativeFunction.ofStatus(functions.find("ibv_rereg_mr", "1.1"), 6);
    deregMr = NativeFunction.ofStatus(functions.find("ibv_dereg_mr", "1.1"), 1);
    createCompChannel = NativeFunction.ofValue(functions.find("ibv_create_comp_channel", "1.0"), 1);
    destroyCompChannel =
        NativeFunction.ofStatus(functions.find("ibv_destroy_comp_channel", "1.0"), 1);
    createCq = NativeFunction.ofValue(functions.find("ibv_create_cq", "1.1"), 5);
    resizeCq = NativeFunction.ofStatus(functions.find("ibv_resize_cq", "1.1"), 2);
    destroyCq = NativeFunction.ofStatus(functions.find("ibv_destroy_cq", "1.1"), 1);
    getCqEvent = NativeFunction.ofStatus(functions.find("ibv_get_cq_event", "1.1"), 3);
    ackCqEvents = NativeFunction.ofNothing(functions.find("ibv_ack_cq_events", "1.1"), 2);
    createSrq = NativeFunction.ofValue(functions.find("ibv_create_srq", "1.1"), 2);
    modifySrq = NativeFunction.ofStatus(functions.find("ibv_modify_srq", "1.1"), 3);
    querySrq = NativeFunction.ofStatus(functions.find("ibv_query_srq", "1.1"), 2);
    destroySrq = NativeFunction.ofStatus(functions.find("ibv_destroy_srq", "1.1"), 1);
    createQp = NativeFunction.ofValue(functions.find("ibv_create_qp", "1.1"), 2);
    modifyQp = NativeFunction.ofStatus(functions.find("ibv_modify_qp", "1.1"), 3);
    queryQp = NativeFunction.ofStatus(functions.find("ibv_query_qp", "1.1"), 4);
    destroyQp = NativeFunction.ofStatus(functions.find("ibv_destroy_qp", "1.1"), 1);
    createAh = NativeFunction.ofValue(functions.find("ibv_create_ah", "1.1"), 2);
    destroyAh = NativeFunction.ofStatus(functions.find("ibv_destroy_ah", "1.1"), 1);
    attachMcast = NativeFunction.ofStatus(functions.find("ibv_attach_mcast", "1.1"), 3);
    detachMcast = NativeFunction.ofStatus(functions.find("ibv_detach_mcast", "1.1"), 3);
    getAsyncEvent = NativeFunction.ofStatus(functions.find("ibv_get_async_event", "1.1"), 2);
    ackAsyncEvent = NativeFunction.ofNothing(functions.find("ibv_ack_async_event", "1.1"), 1);
  }

  /**
   * Loads the library and finds every function.
   *
   * @param name {@link #NAME}, or a path
   * @throws LibraryMissing with the remedy
   */
  public static Libibverbs load(String name) throws LibraryMissing {
    return new Libibverbs(name, LibraryFunctions.open(name, HOW_TO_GET_IT));
  }

  /** The functions that an older release may lack. */
  public LaterFunctions later() {
    return later;
  }

  // ---- devices

  /**
   * {@code ibv_get_device_list}: the address of an array of device pointers, or 0 with the reason
   * in the frame's errno.
   *
   * @param count where the C {@code int} goes
   */
  public long getDeviceList(Frame frame, MemorySegment count) {
    return getDeviceList.value(frame, count.address());
  }

  /** {@code ibv_free_device_list}. */
  public void freeDeviceList(Frame frame, long list) {
    freeDeviceList.run(frame, list);
  }

  /** {@code ibv_get_device_name}: the address of a C string. */
  public long getDeviceName(Frame frame, long device) {
    return getDeviceName.value(frame, device);
  }

  /** {@code ibv_get_device_guid}, in host order. */
  public long getDeviceGuid(Frame frame, long device) {
    long network = getDeviceGuid.value(frame, device);
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        ? Long.reverseBytes(network)
        : network;
  }

  /** {@code ibv_open_device}. */
  public long openDevice(Frame frame, long device) {
    return made("ibv_open_device", openDevice.value(frame, device), frame);
  }

  /** {@code ibv_close_device}. Gives 0 or the errno. */
  public int closeDevice(Frame frame, long context) {
    return errno(closeDevice.status(frame, context), frame);
  }

  /** {@code ibv_query_device} into {@link Structures.IbvDeviceAttr}. */
  public void queryDevice(Frame frame, long context, MemorySegment attr) {
    demand("ibv_query_device", queryDevice.status(frame, context, attr.address()), frame);
  }

  /** {@code ibv_query_port} as exported: the first 48 bytes of {@link Structures.IbvPortAttr}. */
  public void queryPort(Frame frame, long context, int port, MemorySegment attr) {
    demand("ibv_query_port", queryPort.status(frame, context, port, attr.address()), frame);
  }

  /** {@code ibv_query_gid_ex} into {@link Structures.IbvGidEntry}. Gives 0 or the errno. */
  public int queryGidEx(Frame frame, long context, int port, int index, MemorySegment entry) {
    return errno(
        queryGidEx.status(frame, context, port, index, entry.address(), 0, entry.byteSize()),
        frame);
  }

  /**
   * {@code ibv_query_gid_table} into an array of {@link Structures.IbvGidEntry}.
   *
   * @return how many entries were written
   */
  public int queryGidTable(Frame frame, long context, MemorySegment entries) {
    long max = entries.byteSize() / Structures.IbvGidEntry.SIZE;
    long count =
        queryGidTable.value(frame, context, entries.address(), max, 0, Structures.IbvGidEntry.SIZE);
    if (count < 0) {
      throw Refusal.of("ibv_query_gid_table", (int) -count);
    }
    return (int) count;
  }

  /** {@code ibv_query_pkey}: a {@code __be16}. */
  public void queryPkey(Frame frame, long context, int port, int index, MemorySegment pkey) {
    demand("ibv_query_pkey", queryPkey.status(frame, context, port, index, pkey.address()), frame);
  }

  // ---- domains and memory

  /** {@code ibv_alloc_pd}. */
  public long allocPd(Frame frame, long context) {
    return made("ibv_alloc_pd", allocPd.value(frame, context), frame);
  }

  /** {@code ibv_dealloc_pd}. Gives 0 or the errno. */
  public int deallocPd(Frame frame, long pd) {
    return errno(deallocPd.status(frame, pd), frame);
  }

  /** {@code ibv_reg_mr_iova2}, to which {@code ibv_reg_mr} and {@code ibv_reg_mr_iova} lead. */
  public long regMr(Frame frame, long pd, long address, long length, long iova, int access) {
    return made("ibv_reg_mr", regMr.value(frame, pd, address, length, iova, access), frame);
  }

  /**
   * {@code ibv_rereg_mr}.
   *
   * @param memory the new memory; null: it stays
   * @throws ReregistrationException with the state in which the region is left
   */
  public void reregMr(Frame frame, long mr, int flags, long pd, MemorySegment memory, int access) {
    long at = memory == null ? 0 : memory.address();
    long length = memory == null ? 0 : memory.byteSize();
    int status = reregMr.status(frame, mr, flags, pd, at, length, access);
    if (status != 0) {
      throw new ReregistrationException(
          ReregError.of(status), Refusal.of("ibv_rereg_mr", errno(status, frame)));
    }
  }

  /** {@code ibv_dereg_mr}. Gives 0 or the errno. */
  public int deregMr(Frame frame, long mr) {
    return errno(deregMr.status(frame, mr), frame);
  }

  // ---- completions

  /** {@code ibv_create_comp_channel}. */
  public long createCompChannel(Frame frame, long context) {
    return made("ibv_create_comp_channel", createCompChannel.value(frame, context), frame);
  }

  /** {@code ibv_destroy_comp_channel}. Gives 0 or the errno. */
  public int destroyCompChannel(Frame frame, long channel) {
    return errno(destroyCompChannel.status(frame, channel), frame);
  }

  /** {@code ibv_create_cq} without a context of the caller. */
  public long createCq(Frame frame, long context, int cqe, long channel, int vector) {
    return made("ibv_create_cq", createCq.value(frame, context, cqe, 0, channel, vector), frame);
  }

  /** {@code ibv_resize_cq}. */
  public void resizeCq(Frame frame, long cq, int cqe) {
    demand("ibv_resize_cq", resizeCq.status(frame, cq, cqe), frame);
  }

  /** {@code ibv_destroy_cq}; waits for acknowledgements. Gives 0 or the errno. */
  public int destroyCq(Frame frame, long cq) {
    return errno(destroyCq.status(frame, cq), frame);
  }

  /**
   * {@code ibv_get_cq_event}. Gives 0 or the errno, EAGAIN when the descriptor does not block.
   *
   * @param cq where the pointer goes
   * @param cookie where the caller's context goes
   */
  public int getCqEvent(Frame frame, long channel, MemorySegment cq, MemorySegment cookie) {
    return errno(getCqEvent.status(frame, channel, cq.address(), cookie.address()), frame);
  }

  /** {@code ibv_ack_cq_events}. */
  public void ackCqEvents(Frame frame, long cq, int count) {
    ackCqEvents.run(frame, cq, count);
  }

  // ---- queues

  /** {@code ibv_create_srq} from {@link Structures.IbvSrqInitAttr}. */
  public long createSrq(Frame frame, long pd, MemorySegment attr) {
    return made("ibv_create_srq", createSrq.value(frame, pd, attr.address()), frame);
  }

  /** {@code ibv_modify_srq} with {@link Structures.IbvSrqAttr}. */
  public void modifySrq(Frame frame, long srq, MemorySegment attr, int mask) {
    demand("ibv_modify_srq", modifySrq.status(frame, srq, attr.address(), mask), frame);
  }

  /** {@code ibv_query_srq} into {@link Structures.IbvSrqAttr}. */
  public void querySrq(Frame frame, long srq, MemorySegment attr) {
    demand("ibv_query_srq", querySrq.status(frame, srq, attr.address()), frame);
  }

  /** {@code ibv_destroy_srq}; waits for acknowledgements. Gives 0 or the errno. */
  public int destroySrq(Frame frame, long srq) {
    return errno(destroySrq.status(frame, srq), frame);
  }

  /**
   * {@code ibv_create_qp} with {@link Structures.IbvQpInitAttr}, which then contains the granted
   * capabilities.
   */
  public long createQp(Frame frame, long pd, MemorySegment attr) {
    return made("ibv_create_qp", createQp.value(frame, pd, attr.address()), frame);
  }

  /** {@code ibv_modify_qp} with {@link Structures.IbvQpAttr}. */
  public void modifyQp(Frame frame, long qp, MemorySegment attr, int mask) {
    demand("ibv_modify_qp", modifyQp.status(frame, qp, attr.address(), mask), frame);
  }

  /**
   * {@code ibv_query_qp} into {@link Structures.IbvQpAttr} and {@link Structures.IbvQpInitAttr}.
   *
   * @param mask a hint of what is asked for; more may be filled
   */
  public void queryQp(Frame frame, long qp, MemorySegment attr, int mask, MemorySegment initAttr) {
    demand(
        "ibv_query_qp", queryQp.status(frame, qp, attr.address(), mask, initAttr.address()), frame);
  }

  /** {@code ibv_destroy_qp}; waits for acknowledgements. Gives 0 or the errno. */
  public int destroyQp(Frame frame, long qp) {
    return errno(destroyQp.status(frame, qp), frame);
  }

  /** {@code ibv_create_ah} from {@link Structures.IbvAhAttr}. */
  public long createAh(Frame frame, long pd, MemorySegment attr) {
    return made("ibv_create_ah", createAh.value(frame, pd, attr.address()), frame);
  }

  /** {@code ibv_destroy_ah}. Gives 0 or the errno. */
  public int destroyAh(Frame frame, long ah) {
    return errno(destroyAh.status(frame, ah), frame);
  }

  /** {@code ibv_attach_mcast}; RoCE has no LID. */
  public void attachMcast(Frame frame, long qp, MemorySegment gid) {
    demand("ibv_attach_mcast", attachMcast.status(frame, qp, gid.address(), 0), frame);
  }

  /** {@code ibv_detach_mcast}. */
  public void detachMcast(Frame frame, long qp, MemorySegment gid) {
    demand("ibv_detach_mcast", detachMcast.status(frame, qp, gid.address(), 0), frame);
  }

  // ---- events

  /** {@code ibv_get_async_event} into {@link Structures.IbvAsyncEvent}. Gives 0 or the errno. */
  public int getAsyncEvent(Frame frame, long context, MemorySegment event) {
    return errno(getAsyncEvent.status(frame, context, event.address()), frame);
  }

  /** {@code ibv_ack_async_event}. */
  public void ackAsyncEvent(Frame frame, MemorySegment event) {
    ackAsyncEvent.run(frame, event.address());
  }

  // ---- results

  private static long made(String function, long pointer, Frame frame) {
    if (pointer == 0) {
      throw Refusal.of(function, frame.errno());
    }
    return pointer;
  }

  private static void demand(String function, int result, Frame frame) {
    int errno = errno(result, frame);
    if (errno != 0) {
      throw Refusal.of(function, errno);
    }
  }

  /** Functions return 0 or an errno, or a negative number and leave the reason in errno. */
  static int errno(int result, Frame frame) {
    if (result >= 0) {
      return result;
    }
    return frame.errno() == 0 ? -result : frame.errno();
  }
}
