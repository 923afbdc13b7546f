package org.roce4j.engine.datagram;

import java.util.ArrayList;
import java.util.List;

/**
 * The canonical {@link Path}s of an engine: one object per way. Paths to one peer address share its
 * window. Looked up when a connection is made or a datagram's handle is first used, not per packet.
 */
public final class PathTable {
  /** What a default Linux receive buffer holds of trained 4 KiB packets, with room to spare. */
  private static final long INITIAL_WINDOW_BYTES = 32L * (4096 + PathWindow.PACKET_CHARGE);

  private static final long LEAST_WINDOW_BYTES = 8L * (4096 + PathWindow.PACKET_CHARGE);

  private final long mostWindowBytes;
  private final List<Path> paths = new ArrayList<>();

  /**
   * @param mostWindowBytes what may at most be in flight to one peer
   */
  public PathTable(long mostWindowBytes) {
    this.mostWindowBytes = Math.max(mostWindowBytes, INITIAL_WINDOW_BYTES);
  }

  /** The path from a local address along an address vector. */
  public Path of(long localHigh, long localLow, AddressVector to) {
    PathWindow window = null;
    for (int i = 0; i < paths.size(); i++) {
      Path path = paths.get(i);
      if (path.is(
          to.sgidIndex(), to.remoteHigh(), to.remoteLow(), to.trafficClass(), to.hopLimit())) {
        return path;
      }
      if (path.remoteHigh() == to.remoteHigh() && path.remoteLow() == to.remoteLow()) {
        window = path.window();
      }
    }
    if (window == null) {
      window = new PathWindow(LEAST_WINDOW_BYTES, INITIAL_WINDOW_BYTES, mostWindowBytes);
    }
    Path path =
        new Path(
            to.sgidIndex(),
            localHigh,
            localLow,
            to.remoteHigh(),
            to.remoteLow(),
            to.trafficClass(),
            to.hopLimit(),
            window);
    paths.add(path);
    return path;
  }
}
