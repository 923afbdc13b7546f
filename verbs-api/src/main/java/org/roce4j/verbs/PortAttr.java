package org.roce4j.verbs;

/** {@code struct ibv_port_attr}: the state of a port. */
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
    LinkLayer linkLayer) {}
