package org.roce4j.engine.datagram;

/**
 * The canonical {@link Path}s of an engine: one object per way. Paths to one peer address share its
 * window, and a bucket. Looked up when a connection is made or a datagram goes elsewhere than the
 * one before, which allocates only where nobody has been yet. Nothing is forgotten: a path is what
 * is known of a peer's losses and round trips.
 */
public final class PathTable {
  /** What a default Linux receive buffer holds of trained 4 KiB packets, with room to spare. */
  private static final long INITIAL_WINDOW_BYTES = 32L * (4096 + PathWindow.PACKET_CHARGE);

  private static final long LEAST_WINDOW_BYTES = 8L * (4096 + PathWindow.PACKET_CHARGE);

  private final long mostWindowBytes;

  /** A power of two; paths of a bucket are linked by {@link Path#next}. */
  private Path[] buckets = new Path[16];

  private int size;

  /**
   * @param mostWindowBytes what may at most be in flight to one peer
   */
  public PathTable(long mostWindowBytes) {
    this.mostWindowBytes = Math.max(mostWindowBytes, INITIAL_WINDOW_BYTES);
  }

  /** The path from a local address along an address vector. */
  public Path of(long localHigh, long localLow, AddressVector to) {
    PathWindow window = null;
    Path path = buckets[bucket(to.remoteHigh(), to.remoteLow())];
    for (; path != null; path = path.next) {
      if (path.remoteHigh() == to.remoteHigh() && path.remoteLow() == to.remoteLow()) {
        if (path.is(to.sgidIndex(), to.trafficClass(), to.hopLimit())) {
          return path;
        }
        window = path.window();
      }
    }
    if (window == null) {
      window = new PathWindow(LEAST_WINDOW_BYTES, INITIAL_WINDOW_BYTES, mostWindowBytes);
    }
    path =
        new Path(
            to.sgidIndex(),
            localHigh,
            localLow,
            to.remoteHigh(),
            to.remoteLow(),
            to.trafficClass(),
            to.hopLimit(),
            window);
    add(path);
    return path;
  }

  private void add(Path path) {
    if (size == buckets.length) {
      Path[] fewer = buckets;
      buckets = new Path[2 * size];
      for (Path each : fewer) {
        while (each != null) {
          Path next = each.next;
          insert(each);
          each = next;
        }
      }
    }
    insert(path);
    size++;
  }

  private void insert(Path path) {
    int bucket = bucket(path.remoteHigh(), path.remoteLow());
    path.next = buckets[bucket];
    buckets[bucket] = path;
  }

  private int bucket(long remoteHigh, long remoteLow) {
    long mixed = (remoteHigh * 31 + remoteLow) * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32) & buckets.length - 1;
  }
}
