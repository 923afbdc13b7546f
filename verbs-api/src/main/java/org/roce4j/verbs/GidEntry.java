package org.roce4j.verbs;

/**
 * {@code struct ibv_gid_entry}.
 *
 * @param interfaceIndex the index of the network interface, 0 if unknown
 */
public record GidEntry(Gid gid, int gidIndex, int portNum, GidType gidType, int interfaceIndex) {}
