package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_port_attr}: the state of a port.
 *
 * @param state logical state; null: an unknown number
 * @param maxMtu the largest MTU that the port takes; null: an unknown number
 * @param activeMtu the largest path MTU now; null: an unknown number
 * @param gidTableLength entries of the GID table
 * @param portCapFlags of {@link PortCapFlags}
 * @param maxMessageSize bytes
 * @param badPkeyCounter packets with a P_Key that is not in the table
 * @param qkeyViolationCounter datagrams with a wrong Q_Key
 * @param pkeyTableLength entries of the P_Key table
 * @param lid local identifier; 0 on RoCE
 * @param smLid LID of the subnet manager; 0 on RoCE
 * @param lmc bits of the LID that name paths; 0 on RoCE
 * @param maxVlNum code of the number of virtual lanes
 * @param smSl service level to the subnet manager
 * @param subnetTimeout of the subnet manager's answers
 * @param initTypeReply of the subnet manager
 * @param activeWidth code of the link's width: 1, 2, 4, 8, 16 for 1X, 4X, 8X, 12X, 2X
 * @param activeSpeed code of a lane's speed
 * @param physState physical state; null: an unknown number
 * @param linkLayer Ethernet for RoCE
 * @param flags of {@link PortFlags}
 * @param portCapFlags2 further capabilities ({@code port_cap_flags2})
 */
public record PortAttr(
    PortState state,
    Mtu maxMtu,
    Mtu activeMtu,
    int gidTableLength,
    int portCapFlags,
    long maxMessageSize,
    int badPkeyCounter,
    int qkeyViolationCounter,
    int pkeyTableLength,
    int lid,
    int smLid,
    int lmc,
    int maxVlNum,
    int smSl,
    int subnetTimeout,
    int initTypeReply,
    int activeWidth,
    int activeSpeed,
    PhysicalPortState physState,
    LinkLayer linkLayer,
    int flags,
    int portCapFlags2) {
  @Override
  public String toString() {
    return Wording.of("port %s, %s of at most %s, %s", state, activeMtu, maxMtu, linkLayer);
  }
}
