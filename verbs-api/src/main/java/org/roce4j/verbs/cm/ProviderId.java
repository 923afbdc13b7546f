package org.roce4j.verbs.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;

/**
 * A backend's part of an id: the part of {@code rdma_cm_id} that lives in the Linux kernel. It
 * knows only the number of a queue pair. Only {@link #close} blocks; the outcome of a call is
 * reported on the channel. Implemented by backends; programs use {@link CmId}, which checks
 * arguments for null and for negative numbers. Thread-safe.
 *
 * <p>A call that the state of the id does not allow is EINVAL.
 */
public interface ProviderId extends AutoCloseable {
  /** The context the id is bound to; null until it is bound to an address of a device. */
  Context context();

  /** The port of the device, 1 or more; 0 until it is bound to a device. */
  int portNum();

  /** The local address and port; null until bound. */
  InetSocketAddress localAddr();

  /** The peer's address and port; null until it is known. */
  InetSocketAddress peerAddr();

  /**
   * Sets an option ({@code rdma_set_option}).
   *
   * @param value in range: TOS 0..255, ACK_TIMEOUT 0..31, REUSEADDR and AFONLY 0 or 1
   * @throws VerbsException EINVAL: as {@link CmId#setOption}; ENOSYS: not an option of an id
   */
  void setOption(CmOption option, int value);

  /**
   * The route, instead of {@link #resolveRoute}; reports ROUTE_RESOLVED.
   *
   * @param pathRecords {@code struct ibv_path_data}, one or more
   * @throws VerbsException EINVAL: size or state; ENOSYS if the backend always resolves routes
   *     itself
   */
  void setIbPath(byte[] pathRecords);

  /**
   * Binds to an address of a device, or to all devices.
   *
   * @param address port 0: an ephemeral one; the wildcard address: every device
   * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, EACCES, EAFNOSUPPORT; EINVAL if bound already
   */
  void bindAddr(InetSocketAddress address);

  /**
   * Reports ADDR_RESOLVED or ADDR_ERROR.
   *
   * @param source null: the one from which the destination is reached
   * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT
   */
  void resolveAddr(InetSocketAddress source, InetSocketAddress destination, int timeoutMs);

  /** Reports ROUTE_RESOLVED or ROUTE_ERROR. */
  void resolveRoute(int timeoutMs);

  /**
   * @param backlog requests that wait for an answer; 0: as many as the backend allows
   * @throws VerbsException EADDRINUSE
   */
  void listen(int backlog);

  /**
   * Reports CONNECT_RESPONSE, ESTABLISHED (datagram services), REJECTED or UNREACHABLE.
   *
   * @param param complete: resources within the device's limits, number of the queue pair
   * @throws VerbsException EINVAL: state, private data too long
   */
  void connect(ConnParam param);

  /**
   * Accepts the request that CONNECT_REQUEST reported; reports ESTABLISHED when the peer has
   * confirmed. A datagram service answers with the number of the queue pair and {@link
   * UdParam#QKEY}.
   *
   * @param param as for {@link #connect}
   * @throws VerbsException EINVAL: state, private data too long
   */
  void accept(ConnParam param);

  /**
   * Rejects the request or response that was reported.
   *
   * @param reason {@link RejectReason#CONSUMER_DEFINED} or VENDOR_OPTION_NOT_SUPPORTED
   */
  void reject(RejectReason reason, byte[] privateData);

  /** Confirms a reported CONNECT_RESPONSE: the peer receives ESTABLISHED, this id does not. */
  void establish();

  /**
   * Ends the connection, or confirms that the peer has; reports DISCONNECTED unless it has been. A
   * datagram service sends nothing.
   */
  void disconnect();

  /**
   * Reports that a packet arrived on a queue pair that waits for the peer's confirmation.
   *
   * @param event COMM_EST
   * @throws VerbsException EISCONN if the connection is established already; EINVAL for any other
   *     event
   */
  void notify(EventType event);

  /**
   * The attributes that take a queue pair of this id to a state, with their mask.
   *
   * @param state INIT, RTR or RTS
   * @throws VerbsException EINVAL: not bound to a device, or the state needs attributes that are
   *     not known yet
   */
  QpAttr initQpAttr(QpState state);

  /**
   * Reports MULTICAST_JOIN or MULTICAST_ERROR; the library attaches the queue pair.
   *
   * @param join given back with the report
   * @throws VerbsException EINVAL: not a group, not bound
   */
  void joinMulticast(InetAddress group, JoinFlag flag, Object join);

  /**
   * Takes back a join, the last one of that group; one in progress is not reported any more.
   *
   * @param join given to {@link #joinMulticast}
   * @throws VerbsException EADDRNOTAVAIL if it was not joined
   */
  void leaveMulticast(InetAddress group, Object join);

  /** Moves the id and its reports that were not taken to another channel of the same provider. */
  void migrate(ProviderChannel to);

  /**
   * Ends everything in progress: rejects a request that waits for an answer, disconnects, leaves
   * groups, and rejects requests that were not taken. No report of this id can be taken after it
   * returns. Idempotent.
   */
  @Override
  void close();
}
