package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_global_route}.
 *
 * @param flowLabel 20 bits; entropy for the UDP source port
 * @param sgidIndex index of the local address in the GID table
 * @param hopLimit IPv4 TTL or IPv6 hop limit, 0..255; 0 stands for the default, 64
 * @param trafficClass IPv4 TOS or IPv6 traffic class: DSCP and ECN bits, 0..255
 */
public record GlobalRoute(Gid dgid, int flowLabel, int sgidIndex, int hopLimit, int trafficClass) {
  @Override
  public String toString() {
    return Wording.of("to %s from GID %d", dgid, sgidIndex);
  }
}
