package org.roce4j.verbs.cm;

import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.text.Wording;

/**
 * {@code struct rdma_addrinfo}: where an endpoint is, or hints for the search. Fluent; not
 * thread-safe.
 */
public final class AddrInfo {
  /** The address is one to listen at ({@code RAI_PASSIVE}). */
  public static final int PASSIVE = 0x1;

  /** The node is an address, not a name ({@code RAI_NUMERICHOST}). */
  public static final int NUMERICHOST = 0x2;

  /** Routes are not resolved ({@code RAI_NOROUTE}). */
  public static final int NOROUTE = 0x4;

  /** The family of the hints restricts the search ({@code RAI_FAMILY}). */
  public static final int FAMILY = 0x8;

  private int flags;
  private StandardProtocolFamily family;
  private QpType qpType;
  private PortSpace portSpace;
  private InetSocketAddress srcAddr;
  private InetSocketAddress dstAddr;
  private String srcCanonname;
  private String dstCanonname;
  private byte[] route = {};
  private byte[] connect = {};

  /**
   * {@code rdma_getaddrinfo}: the address and the kind of endpoint that a name and a port stand
   * for. Without node and service the hints come back.
   *
   * @param node a name or an address; null with {@link #PASSIVE}: the wildcard address; else this
   *     host
   * @param service a port number; null: port 0
   * @param hints may be null: the first address of the node, for connections
   * @throws org.roce4j.verbs.VerbsException EINVAL if all three are null, a service is no port, or
   *     the hints want datagrams in a port space of connections, or the reverse; EADDRNOTAVAIL for
   *     an unknown name; EAFNOSUPPORT if it has no address of the family
   */
  public static AddrInfo resolve(String node, String service, AddrInfo hints) {
    return AddressLookup.resolve(node, service, hints);
  }

  /** Sets flags such as {@link #PASSIVE}. */
  public AddrInfo flags(int value) {
    flags = value;
    return this;
  }

  /** Flags such as {@link #PASSIVE}; 0 unless set. */
  public int flags() {
    return flags;
  }

  /** INET or INET6; null: either. */
  public AddrInfo family(StandardProtocolFamily value) {
    family = value;
    return this;
  }

  /** INET or INET6; null as a hint: either. */
  public StandardProtocolFamily family() {
    return family;
  }

  /** The type of queue pair; null: that of the port space. */
  public AddrInfo qpType(QpType value) {
    qpType = value;
    return this;
  }

  /** The type of queue pair; null as a hint: that of the port space. */
  public QpType qpType() {
    return qpType;
  }

  /** The port space; null: that of the type. */
  public AddrInfo portSpace(PortSpace value) {
    portSpace = value;
    return this;
  }

  /** The port space; null as a hint: that of the type. */
  public PortSpace portSpace() {
    return portSpace;
  }

  /** The local address: a passive endpoint is bound to it; may be null for an active one. */
  public AddrInfo srcAddr(InetSocketAddress value) {
    srcAddr = value;
    return this;
  }

  /** The local address; null for an active endpoint whose address the route chooses. */
  public InetSocketAddress srcAddr() {
    return srcAddr;
  }

  /** The peer's address; null for a passive endpoint. */
  public AddrInfo dstAddr(InetSocketAddress value) {
    dstAddr = value;
    return this;
  }

  /** The peer's address; null for a passive endpoint. */
  public InetSocketAddress dstAddr() {
    return dstAddr;
  }

  /** The name of the local address, if it was looked up by name. */
  public AddrInfo srcCanonname(String value) {
    srcCanonname = value;
    return this;
  }

  /** The name of the local address; null unless it was looked up by name. */
  public String srcCanonname() {
    return srcCanonname;
  }

  /** The name of the peer's address, if it was looked up by name. */
  public AddrInfo dstCanonname(String value) {
    dstCanonname = value;
    return this;
  }

  /** The name of the peer's address; null unless it was looked up by name. */
  public String dstCanonname() {
    return dstCanonname;
  }

  /** Path records for {@link CmId#setIbPath}; empty: the route is resolved. */
  public AddrInfo route(byte[] value) {
    route = RequiredArgument.check(value, "route").clone();
    return this;
  }

  /** Path records, a copy; empty: none. */
  public byte[] route() {
    return route.clone();
  }

  /** Bytes in front of the private data of {@link CmId#connect}; empty: none. */
  public AddrInfo connect(byte[] value) {
    connect = RequiredArgument.check(value, "connect").clone();
    return this;
  }

  /** Bytes in front of the private data, a copy; empty: none. */
  public byte[] connect() {
    return connect.clone();
  }

  @Override
  public String toString() {
    return Wording.of(
        "%s %s %s - %s%s",
        portSpace, qpType, srcAddr, dstAddr, (flags & PASSIVE) != 0 ? ", passive" : "");
  }
}
