package org.roce4j.emulator.cm;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.EnumMap;
import java.util.Map;
import org.roce4j.emulator.cm.EmulatedCmId.State;
import org.roce4j.engine.cm.CmTiming;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmOption;

/** The options of an id, set by {@code rdma_set_option}. Guarded by the id. */
final class IdOptions {
  private final Map<CmOption, Integer> values = new EnumMap<>(CmOption.class);

  /**
   * Sets an option.
   *
   * @throws VerbsException ENOSYS, EINVAL
   */
  void set(CmOption option, int value, QpType qpType, State state) {
    boolean connects = qpType == QpType.RC || qpType == QpType.XRC_SEND;
    if (option == CmOption.IB_PATH) {
      throw Errno.ENOSYS.refusal("IB_PATH is set by setIbPath");
    }
    if (option == CmOption.AFONLY && state != State.IDLE && state != State.ADDR_BOUND) {
      throw Errno.EINVAL.refusal("AFONLY is to be set before the id listens");
    }
    if (option == CmOption.REUSEADDR
        && (value == 0 ? state != State.IDLE : state == State.LISTEN)) {
      throw Errno.EINVAL.refusal(
          "REUSEADDR is set before the id listens, and unset before it is bound");
    }
    if (option == CmOption.ACK_TIMEOUT && !connects) {
      throw new VerbsException(Errno.EINVAL, "ids of " + qpType + " have no ACK timeout to set");
    }
    values.put(option, value);
  }

  int tos() {
    return values.getOrDefault(CmOption.TOS, 0);
  }

  /** Whether another id may be bound to the same address and port. */
  boolean reuseAddr() {
    return values.getOrDefault(CmOption.REUSEADDR, 0) != 0;
  }

  /** Whether an id is restricted to its own address family; unless it is set, IPv4 ids are. */
  boolean afOnly(InetAddress bound) {
    Integer set = values.get(CmOption.AFONLY);
    return set == null ? bound instanceof Inet4Address : set != 0;
  }

  /** The packet lifetime in CM messages: 4.096 us x 2^lifetime. */
  int packetLifetime() {
    Integer ackTimeout = values.get(CmOption.ACK_TIMEOUT);
    return ackTimeout == null ? CmTiming.PACKET_LIFETIME : Math.max(0, ackTimeout - 1);
  }
}
