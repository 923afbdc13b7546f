package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_ah_attr}: an address vector. RoCE needs {@code isGlobal}; LID, SL and path bits
 * mean nothing there.
 *
 * @param isGlobal whether {@code grh} is used
 * @param grh the route; null only where there is no path
 * @param dlid LID of the destination
 * @param serviceLevel 0..15; Ethernet's priority comes from the traffic class
 * @param sourcePathBits added to the LID
 * @param staticRate a {@link Rate}, an upper bound that an adapter may enforce; the emulator
 *     ignores it
 * @param portNum the port, from 1
 */
public record AhAttr(
    boolean isGlobal,
    GlobalRoute grh,
    int dlid,
    int serviceLevel,
    int sourcePathBits,
    int staticRate,
    int portNum) {

  /** The address vector to a RoCE v2 address from entry {@code sgidIndex} of port 1. */
  public static AhAttr roce(Gid destination, int sgidIndex) {
    return roce(destination, sgidIndex, 64, 0);
  }

  /** As {@link #roce(Gid, int)} with hop limit and traffic class. */
  public static AhAttr roce(Gid destination, int sgidIndex, int hopLimit, int trafficClass) {
    return new AhAttr(
        true, new GlobalRoute(destination, 0, sgidIndex, hopLimit, trafficClass), 0, 0, 0, 0, 1);
  }

  /**
   * The same address vector from another port; {@code sgidIndex} is an index of that port's GID
   * table.
   */
  public AhAttr onPort(int port) {
    return new AhAttr(isGlobal, grh, dlid, serviceLevel, sourcePathBits, staticRate, port);
  }

  @Override
  public String toString() {
    return Wording.of("%s of port %d", isGlobal ? grh : "LID " + dlid, portNum);
  }
}
