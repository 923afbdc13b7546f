package org.roce4j.tools.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.RdmaVerbs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code roce4j rdma-xserver}. */
@Command(
    name = "rdma-xserver",
    mixinStandardHelpOptions = true,
    header = "Wait for a client and take 16 bytes from it, as rdma_xserver does.",
    footerHeading = "%nExample:%n",
    footer = "  roce4j rdma-xserver -c x")
public final class RdmaXserverCommand extends OneExchange {
  @Option(
      names = "-b",
      paramLabel = "ADDRESS",
      defaultValue = "0.0.0.0",
      description = "Where to listen (default: ${DEFAULT-VALUE}).")
  private String at;

  @Mixin private ExtendedOptions options;

  @Override
  public Integer call() {
    QpInitAttr attr = new QpInitAttr().cap(new QpCapabilities(1, 1, 1, 1));
    return listen(at, options.hints(QpType.XRC_RECV), attr, this::exchange);
  }

  /** The target of an extended connection receives into a queue that its peer names by number. */
  private void exchange(CmId id) {
    if (options.extended()) {
      id.createSrq(new SrqInitAttrEx().srqType(SrqType.XRC).maxWr(1).maxSge(1));
    }
    int number = options.extended() ? id.srq().srqNum() : 0;
    ByteBuffer told = ByteBuffer.allocate(Integer.BYTES).putInt(number);
    try (Arena arena = Arena.ofShared();
        WorkCompletions completion = new WorkCompletions(1)) {
      MemorySegment message = arena.allocate(SixteenBytes.SIZE);
      try (MemoryRegion mr = RdmaVerbs.regMsgs(id, message)) {
        RdmaVerbs.postRecv(id, 0, message, mr);
        ConnectionEvents.accept(id, new ConnParam().privateData(told.array()));
        SixteenBytes.awaitReceive(id, hearing(id), completion);
      }
    }
    id.disconnect();
  }
}
