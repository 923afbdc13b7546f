package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.VerbsException;

/**
 * The functions of librdmacm that call the kernel's connection manager. Its functions for queue
 * pairs are left out: ids here have none, and the program's queue pairs belong to other contexts. A
 * failure throws {@link VerbsException}, unless the method says that it returns the errno.
 * Thread-safe, but the caller must ensure that an object is not destroyed during a call.
 */
public final class Librdmacm {
  /** The library's name for the dynamic linker. */
  public static final String NAME = "librdmacm.so.1";

  private static final String HOW_TO_GET_IT =
      "install rdma-core 33 or newer (Debian, Ubuntu: librdmacm1; Fedora: librdmacm)";

  private final NativeFunction createEventChannel;
  private final NativeFunction destroyEventChannel;
  private final NativeFunction createId;
  private final NativeFunction destroyId;
  private final NativeFunction migrateId;
  private final NativeFunction setOption;
  private final NativeFunction bindAddr;
  private final NativeFunction resolveAddr;
  private final NativeFunction resolveRoute;
  private final NativeFunction listen;
  private final NativeFunction connect;
  private final NativeFunction accept;
  private final NativeFunction reject;
  private final NativeFunction rejectEce;
  private final NativeFunction establish;
  private final NativeFunction disconnect;
  private final NativeFunction notifyEvent;
  private final NativeFunction initQpAttr;
  private final NativeFunction joinMulticast;
  private final NativeFunction leaveMulticast;
  private final NativeFunction getCmEvent;
  private final NativeFunction ackCmEvent;

  Librdmacm(String name, LibraryFunctions.Lookup lookup) throws LibraryMissing {
    LibraryFunctions functions = new LibraryFunctions(name, "RDMACM_", HOW_TO_GET_IT, lookup);
    createEventChannel =
        NativeFunction.ofValue(functions.find("rdma_create_event_channel", "1.0"), 1);
    destroyEventChannel =
        NativeFunction.ofNothing(functions.find("rdma_destroy_event_channel", "1.0"), 1);
    createId = NativeFunction.ofStatus(functions.find("rdma_create_id", "1.0"), 4);
    destroyId = NativeFunction.ofStatus(functions.find("rdma_destroy_id", "1.0"), 1);
    migrateId = NativeFunction.ofStatus(functions.find("rdma_migrate_id", "1.0"), 2);
    setOption = NativeFunction.ofStatus(functions.find("rdma_set_option", "1.0"), 6);
    bindAddr = NativeFunction.ofStatus(functions.find("rdma_bind_addr", "1.0"), 2);
    resolveAddr = NativeFunction.ofStatus(functions.find("rdma_resolve_addr", "1.0"), 4);
    resolveRoute = NativeFunction.ofStatus(functions.find("rdma_resolve_route", "1.0"), 2);
    listen = NativeFunction.ofStatus(functions.find("rdma_listen", "1.0"), 2);
    connect = NativeFunction.ofStatus(functions.find("rdma_connect", "1.0"), 2);
    accept = NativeFunction.ofStatus(functions.find("rdma_accept", "1.0"), 2);
    reject = NativeFunction.ofStatus(functions.find("rdma_reject", "1.0"), 3);
    rejectEce = NativeFunction.ofStatus(functions.find("rdma_reject_ece", "1.3"), 3);
    establish = NativeFunction.ofStatus(functions.find("rdma_establish", "1.2"), 1);
    disconnect = NativeFunction.ofStatus(functions.find("rdma_disconnect", "1.0"), 1);
    notifyEvent = NativeFunction.ofStatus(functions.find("rdma_notify", "1.0"), 2);
    initQpAttr = NativeFunction.ofStatus(functions.find("rdma_init_qp_attr", "1.2"), 3);
    joinMulticast = NativeFunction.ofStatus(functions.find("rdma_join_multicast_ex", "1.1"), 3);
    leaveMulticast = NativeFunction.ofStatus(functions.find("rdma_leave_multicast", "1.0"), 2);
    getCmEvent = NativeFunction.ofStatus(functions.find("rdma_get_cm_event", "1.0"), 2);
    ackCmEvent = NativeFunction.ofStatus(functions.find("rdma_ack_cm_event", "1.0"), 1);
  }

  /**
   * Loads the library and finds every function.
   *
   * @param name {@link #NAME}, or a path
   * @throws LibraryMissing with the remedy
   */
  public static Librdmacm load(String name) throws LibraryMissing {
    return new Librdmacm(name, LibraryFunctions.open(name, HOW_TO_GET_IT));
  }

  /** All of them give 0, or -1 with an errno. */
  private static void check(Frame frame, int status, String function) {
    if (status != 0) {
      throw Refusal.of(function, frame.errno());
    }
  }

  // ---- channels and ids

  /** {@code rdma_create_event_channel}. */
  public long createEventChannel(Frame frame) {
    long channel = createEventChannel.value(frame, 0); // it has no argument, and reads none
    if (channel == 0) {
      throw Refusal.of("rdma_create_event_channel", frame.errno());
    }
    return channel;
  }

  /** {@code rdma_destroy_event_channel}. */
  public void destroyEventChannel(Frame frame, long channel) {
    destroyEventChannel.run(frame, channel);
  }

  /** {@code rdma_create_id}. */
  public long createId(Frame frame, long channel, int portSpace) {
    MemorySegment id = frame.structure(Long.BYTES);
    check(frame, createId.status(frame, channel, id.address(), 0, portSpace), "rdma_create_id");
    return ObjectStructures.pointer(id);
  }

  /** {@code rdma_destroy_id}; waits until its events are acknowledged. */
  public void destroyId(Frame frame, long id) {
    check(frame, destroyId.status(frame, id), "rdma_destroy_id");
  }

  /** {@code rdma_migrate_id}. */
  public void migrateId(Frame frame, long id, long channel) {
    check(frame, migrateId.status(frame, id, channel), "rdma_migrate_id");
  }

  /** {@code rdma_set_option}. */
  public void setOption(Frame frame, long id, int level, int option, MemorySegment value) {
    int status = setOption.status(frame, id, level, option, value.address(), value.byteSize(), 0);
    check(frame, status, "rdma_set_option");
  }

  // ---- addresses

  /** {@code rdma_bind_addr}. */
  public void bindAddr(Frame frame, long id, MemorySegment address) {
    check(frame, bindAddr.status(frame, id, address.address()), "rdma_bind_addr");
  }

  /**
   * {@code rdma_resolve_addr}.
   *
   * @param source {@link MemorySegment#NULL}: any
   */
  public void resolveAddr(
      Frame frame, long id, MemorySegment source, MemorySegment destination, int timeoutMs) {
    int status = resolveAddr.status(frame, id, source.address(), destination.address(), timeoutMs);
    check(frame, status, "rdma_resolve_addr");
  }

  /** {@code rdma_resolve_route}. */
  public void resolveRoute(Frame frame, long id, int timeoutMs) {
    check(frame, resolveRoute.status(frame, id, timeoutMs), "rdma_resolve_route");
  }

  // ---- connections

  /** {@code rdma_listen}. */
  public void listen(Frame frame, long id, int backlog) {
    check(frame, listen.status(frame, id, backlog), "rdma_listen");
  }

  /** {@code rdma_connect}. */
  public void connect(Frame frame, long id, MemorySegment param) {
    check(frame, connect.status(frame, id, param.address()), "rdma_connect");
  }

  /** {@code rdma_accept}. */
  public void accept(Frame frame, long id, MemorySegment param) {
    check(frame, accept.status(frame, id, param.address()), "rdma_accept");
  }

  /** {@code rdma_reject}. */
  public void reject(Frame frame, long id, MemorySegment privateData) {
    int status = reject.status(frame, id, privateData.address(), privateData.byteSize());
    check(frame, status, "rdma_reject");
  }

  /** {@code rdma_reject_ece}. */
  public void rejectEce(Frame frame, long id, MemorySegment privateData) {
    int status = rejectEce.status(frame, id, privateData.address(), privateData.byteSize());
    check(frame, status, "rdma_reject_ece");
  }

  /** {@code rdma_establish}. */
  public void establish(Frame frame, long id) {
    check(frame, establish.status(frame, id), "rdma_establish");
  }

  /** {@code rdma_disconnect}. */
  public void disconnect(Frame frame, long id) {
    check(frame, disconnect.status(frame, id), "rdma_disconnect");
  }

  /** {@code rdma_notify}. */
  public void notifyEvent(Frame frame, long id, int event) {
    check(frame, notifyEvent.status(frame, id, event), "rdma_notify");
  }

  /**
   * {@code rdma_init_qp_attr}.
   *
   * @param attr with the state; filled
   * @return the mask
   */
  public int initQpAttr(Frame frame, long id, MemorySegment attr) {
    MemorySegment mask = frame.structure(Integer.BYTES);
    int status = initQpAttr.status(frame, id, attr.address(), mask.address());
    check(frame, status, "rdma_init_qp_attr");
    return Memory.i32(mask, 0);
  }

  // ---- multicast

  /**
   * {@code rdma_join_multicast_ex}.
   *
   * @param token comes back as the private data of its events
   */
  public void joinMulticast(Frame frame, long id, MemorySegment attr, long token) {
    int status = joinMulticast.status(frame, id, attr.address(), token);
    check(frame, status, "rdma_join_multicast_ex");
  }

  /** {@code rdma_leave_multicast}. */
  public void leaveMulticast(Frame frame, long id, MemorySegment address) {
    int status = leaveMulticast.status(frame, id, address.address());
    check(frame, status, "rdma_leave_multicast");
  }

  // ---- events

  /**
   * {@code rdma_get_cm_event}: gives the errno.
   *
   * @param event where the event's address goes
   */
  public int getCmEvent(Frame frame, long channel, MemorySegment event) {
    return getCmEvent.status(frame, channel, event.address()) == 0 ? 0 : frame.errno();
  }

  /** {@code rdma_ack_cm_event}. */
  public void ackCmEvent(Frame frame, long event) {
    check(frame, ackCmEvent.status(frame, event), "rdma_ack_cm_event");
  }
}
