package org.roce4j.engine.datagram;

/**
 * The path from a local address to a peer's, with the fields of the IP header. Immutable, so a post
 * can keep a reference instead of a copy. The paths in use are canonical within a device: equal
 * paths are one object, and trains compare them by identity.
 *
 * @param sgidIndex index of the local address in the device's GID table
 * @param trafficClass IPv4 TOS or IPv6 traffic class, 0..255
 * @param hopLimit IPv4 TTL or IPv6 hop limit, 1..255
 */
public record Path(
    int sgidIndex,
    long localHigh,
    long localLow,
    long remoteHigh,
    long remoteLow,
    int trafficClass,
    int hopLimit) {

  /** Whether packets travel over IPv4. */
  public boolean ipv4() {
    return localHigh == 0 && (localLow >>> 32) == 0xffff;
  }

  /** Whether both paths lead to the same address. */
  public boolean hasRemoteOf(Path other) {
    return remoteHigh == other.remoteHigh && remoteLow == other.remoteLow;
  }

  /**
   * A hash of all fields, well mixed because a peer chooses most of the fields of an address handle
   * that answers it.
   */
  @Override
  public int hashCode() {
    long mixed = mix(mix(localHigh) + localLow);
    mixed = mix(mix(mixed + remoteHigh) + remoteLow);
    mixed = mix(mixed + ((long) sgidIndex << 16 | trafficClass << 8 | hopLimit));
    return (int) (mixed >>> 32);
  }

  private static long mix(long bits) {
    long product = (bits ^ bits >>> 32) * 0x9E3779B97F4A7C15L;
    return product ^ product >>> 29;
  }
}
