package org.roce4j.engine.datagram;

/**
 * The way from one of our addresses to a peer's, with what the IP header says about it. Immutable,
 * so that keeping a reference is the copy which posting must make. Paths in use are canonical
 * within a device: the same way is the same object, and trains compare by identity.
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

  /** Whether both lead to the same address. */
  public boolean hasRemoteOf(Path other) {
    return remoteHigh == other.remoteHigh && remoteLow == other.remoteLow;
  }

  /** Of all properties, mixed: address handles take most of them from what senders wrote. */
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
