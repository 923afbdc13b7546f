package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_gid_entry}.
 *
 * @param interfaceIndex the index of the network interface, 0 if unknown
 */
public record GidEntry(Gid gid, int gidIndex, int portNum, GidType gidType, int interfaceIndex) {
  @Override
  public String toString() {
    return Wording.of("GID %d of port %d: %s, %s", gidIndex, portNum, gid, gidType);
  }
}
