package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;

/** Where a received datagram came from, as an address vector to answer it (wire-format 8.2). */
final class ReceivedAddress {
  private static final int UDP = 17;

  private ReceivedAddress() {}

  static AhAttr of(
      Context context,
      int port,
      WorkCompletions completions,
      int completion,
      MemorySegment header,
      long headerAt) {
    checkArguments(completions, completion, header, headerAt);
    int version = GlobalRouteHeader.version(header, headerAt);
    if (version == 0 || (version == 6 && GlobalRouteHeader.nextHeader(header, headerAt) != UDP)) {
      throw Errno.EPROTONOSUPPORT.refusal("the 40 bytes hold no RoCE v2 network header");
    }
    Gid destination = GlobalRouteHeader.dgid(header, headerAt);
    if (destination.isMulticast()) {
      throw Errno.EINVAL.refusal(
          "the datagram came to the group %s; choose the GID index to answer from yourself",
          destination);
    }
    for (GidEntry entry : context.queryGidTable()) {
      if (entry.gid().equals(destination)
          && entry.portNum() == port
          && entry.gidType() == GidType.ROCE_V2) {
        GlobalRoute route =
            new GlobalRoute(
                GlobalRouteHeader.sgid(header, headerAt),
                0,
                entry.gidIndex(),
                GlobalRouteHeader.hopLimit(header, headerAt),
                GlobalRouteHeader.trafficClass(header, headerAt));
        return new AhAttr(true, route, 0, completions.serviceLevel(completion), 0, 0, port);
      }
    }
    throw new VerbsException(
        Errno.EINVAL, destination + " is not in the GID table of port " + port);
  }

  private static void checkArguments(
      WorkCompletions completions, int completion, MemorySegment header, long headerAt) {
    RequiredArgument.check(completions, "completions");
    RequiredArgument.check(header, "header");
    RequiredArgument.checkRange(completion, 0, completions.capacity() - 1, "completion");
    RequiredArgument.checkReadable(completions.memory(), "completions");
    RequiredArgument.checkReadable(header, "header");
    if (headerAt < 0 || headerAt > header.byteSize() - GlobalRouteHeader.SIZE) {
      throw Errno.EINVAL.refusal(
          "headerAt must leave %d bytes of the header's memory of %d, not be %d",
          GlobalRouteHeader.SIZE, header.byteSize(), headerAt);
    }
    if ((completions.flags(completion) & WcFlags.GRH) == 0) {
      throw Errno.EINVAL.refusal("the completion has no GRH; RoCE cannot answer without one");
    }
  }
}
