package org.roce4j.engine.datagram;

/**
 * The way from one of our addresses to a peer's, with what the IP header says about it. Paths are
 * canonical within an engine: the same way is the same object, so trains compare by identity.
 * Confined to the engine's owner.
 */
public final class Path {
  private final int sgidIndex;
  private final long localHigh;
  private final long localLow;
  private final long remoteHigh;
  private final long remoteLow;
  private final int trafficClass;
  private final int hopLimit;
  private final PathWindow window;

  /** The next of its bucket in the {@link PathTable}. */
  Path next;

  /**
   * @param sgidIndex index of the local address in the device's GID table
   * @param trafficClass IPv4 TOS or IPv6 traffic class, 0..255
   * @param hopLimit IPv4 TTL or IPv6 hop limit, 1..255
   * @param window what may be in flight to that peer
   */
  public Path(
      int sgidIndex,
      long localHigh,
      long localLow,
      long remoteHigh,
      long remoteLow,
      int trafficClass,
      int hopLimit,
      PathWindow window) {
    this.sgidIndex = sgidIndex;
    this.localHigh = localHigh;
    this.localLow = localLow;
    this.remoteHigh = remoteHigh;
    this.remoteLow = remoteLow;
    this.trafficClass = trafficClass;
    this.hopLimit = hopLimit;
    this.window = window;
  }

  public int sgidIndex() {
    return sgidIndex;
  }

  public long localHigh() {
    return localHigh;
  }

  public long localLow() {
    return localLow;
  }

  public long remoteHigh() {
    return remoteHigh;
  }

  public long remoteLow() {
    return remoteLow;
  }

  public int trafficClass() {
    return trafficClass;
  }

  public int hopLimit() {
    return hopLimit;
  }

  public PathWindow window() {
    return window;
  }

  /** Whether packets travel over IPv4. */
  public boolean ipv4() {
    return localHigh == 0 && (localLow >>> 32) == 0xffff;
  }

  /** Whether this way to the peer has these properties. */
  boolean is(int sgidIndex, int trafficClass, int hopLimit) {
    return this.sgidIndex == sgidIndex
        && this.trafficClass == trafficClass
        && this.hopLimit == hopLimit;
  }
}
