package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.roce4j.hardware.bindings.CmStructures;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.Librdmacm;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.ProviderChannel;
import org.roce4j.verbs.cm.ProviderId;
import org.roce4j.verbs.cm.RejectReason;

/** {@code struct rdma_cm_id} without queue pair. */
final class HardwareCmId implements ProviderId {
  private final Librdmacm library;
  private final long address;
  private final QpType qpType;
  private final Gate gate = new Gate();
  private final Map<Long, Join> joins = new ConcurrentHashMap<>();
  private final AtomicLong tokens = new AtomicLong();
  private volatile HardwareCmChannel channel;

  /**
   * A join that was not left.
   *
   * @param of the caller's object for the join
   */
  private record Join(InetAddress group, Object of) {}

  HardwareCmId(HardwareCmChannel channel, Librdmacm library, long address, QpType qpType) {
    this.channel = channel;
    this.library = library;
    this.address = address;
    this.qpType = qpType;
  }

  QpType qpType() {
    return qpType;
  }

  /** The caller's object for a join, by its token; null if the join was left. */
  Object join(long token) {
    Join join = joins.get(token);
    return join == null ? null : join.of;
  }

  /** Runs a call with its memory, while the id exists. */
  private <T> T inside(Function<Frame, T> call) {
    if (!gate.enter()) {
      throw Errno.EINVAL.refusal("the id is closed");
    }
    try (Frame frame = new Frame()) {
      return call.apply(frame);
    } finally {
      gate.leave();
    }
  }

  private void call(Consumer<Frame> call) {
    inside(
        frame -> {
          call.accept(frame);
          return null;
        });
  }

  /**
   * librdmacm 44 reads the device of an id in these calls without asking whether there is one: the
   * process would end. Linux refuses them in a state that has no device.
   */
  private void callOnDevice(Consumer<Frame> call) {
    call(
        frame -> {
          if (CmStructures.deviceName(address) == null) {
            throw Errno.EINVAL.refusal(
                "the id is bound to no device: bindAddr or resolveAddr comes first");
          }
          call.accept(frame);
        });
  }

  /** A closed id reads as if it had never been bound. */
  private <T> T read(Function<Frame, T> call, T otherwise) {
    return gate.isShut() ? otherwise : inside(call);
  }

  @Override
  public Context context() {
    return read(
        frame -> {
          String device = CmStructures.deviceName(address);
          return device == null ? null : channel.context(device);
        },
        null);
  }

  @Override
  public int portNum() {
    return read(frame -> CmStructures.portNum(address), 0);
  }

  @Override
  public InetSocketAddress localAddr() {
    return read(frame -> CmStructures.localAddr(address), null);
  }

  @Override
  public InetSocketAddress peerAddr() {
    return read(frame -> CmStructures.peerAddr(address), null);
  }

  @Override
  public void setOption(CmOption option, int value) {
    int size = option == CmOption.TOS || option == CmOption.ACK_TIMEOUT ? 1 : Integer.BYTES;
    call(
        frame ->
            library.setOption(
                frame,
                address,
                option.level(),
                option.number(),
                CmStructures.option(frame, value, size)));
  }

  @Override
  public void setIbPath(byte[] pathRecords) {
    call(
        frame ->
            library.setOption(
                frame,
                address,
                CmOption.IB_PATH.level(),
                CmOption.IB_PATH.number(),
                CmStructures.bytes(frame, pathRecords)));
  }

  @Override
  public void bindAddr(InetSocketAddress to) {
    call(frame -> library.bindAddr(frame, address, CmStructures.address(frame, to)));
  }

  @Override
  public void resolveAddr(InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
    call(
        frame ->
            library.resolveAddr(
                frame,
                address,
                source == null ? MemorySegment.NULL : CmStructures.address(frame, source),
                CmStructures.address(frame, destination),
                timeoutMs));
  }

  @Override
  public void resolveRoute(int timeoutMs) {
    callOnDevice(frame -> library.resolveRoute(frame, address, timeoutMs));
  }

  @Override
  public void listen(int backlog) {
    call(frame -> library.listen(frame, address, backlog));
  }

  @Override
  public void connect(ConnParam param) {
    callOnDevice(frame -> library.connect(frame, address, CmStructures.connParam(frame, param)));
  }

  @Override
  public void accept(ConnParam param) {
    callOnDevice(frame -> library.accept(frame, address, CmStructures.connParam(frame, param)));
  }

  @Override
  public void reject(RejectReason reason, byte[] privateData) {
    call(
        frame -> {
          MemorySegment data = CmStructures.bytes(frame, privateData);
          if (reason == RejectReason.VENDOR_OPTION_NOT_SUPPORTED) {
            library.rejectEce(frame, address, data);
          } else {
            library.reject(frame, address, data);
          }
        });
  }

  @Override
  public void establish() {
    call(frame -> library.establish(frame, address));
  }

  @Override
  public void disconnect() {
    callOnDevice(frame -> library.disconnect(frame, address));
  }

  @Override
  public void notify(EventType event) {
    call(frame -> library.notifyEvent(frame, address, event.value()));
  }

  @Override
  public QpAttr initQpAttr(QpState state) {
    return inside(
        frame -> {
          MemorySegment attr = CmStructures.wantedState(frame, state);
          int mask = library.initQpAttr(frame, address, attr);
          return CmStructures.attributes(attr, mask);
        });
  }

  @Override
  public void joinMulticast(InetAddress group, JoinFlag flag, Object join) {
    long token = tokens.incrementAndGet();
    joins.put(token, new Join(group, join));
    try {
      call(
          frame ->
              library.joinMulticast(frame, address, CmStructures.join(frame, group, flag), token));
    } catch (VerbsException e) {
      joins.remove(token);
      throw e;
    }
  }

  @Override
  public void leaveMulticast(InetAddress group, Object join) {
    InetSocketAddress to = new InetSocketAddress(group, 0);
    call(frame -> library.leaveMulticast(frame, address, CmStructures.address(frame, to)));
    joins.values().removeIf(each -> each.of == join);
  }

  @Override
  public void migrate(ProviderChannel to) {
    if (!(to instanceof HardwareCmChannel other)) {
      throw Errno.EINVAL.refusal("the channel is of another provider");
    }
    call(frame -> library.migrateId(frame, address, other.address()));
    channel = other;
  }

  @Override
  public void close() {
    if (!gate.shut()) {
      return;
    }
    channel.forget(this, address);
    try (Frame frame = new Frame()) {
      library.destroyId(frame, address);
    }
  }
}
