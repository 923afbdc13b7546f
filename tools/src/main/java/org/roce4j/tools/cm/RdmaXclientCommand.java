package org.roce4j.tools.cm;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.RdmaVerbs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code roce4j rdma-xclient}. */
@Command(
    name = "rdma-xclient",
    mixinStandardHelpOptions = true,
    header = "Call a server and send it 16 bytes, as rdma_xclient does.",
    footerHeading = "%nExample:%n",
    footer = "  roce4j rdma-xclient -c x -s 127.0.0.1")
public final class RdmaXclientCommand extends OneExchange {
  @Option(
      names = "-s",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Where the server is (default: ${DEFAULT-VALUE}).")
  private String server;

  @Mixin private ExtendedOptions options;

  @Override
  public Integer call() {
    return call(server, options.hints(QpType.XRC_SEND), SixteenBytes.queuePair(), this::exchange);
  }

  /** An extended request names the server's queue, whose number came with the acceptance. */
  private void exchange(CmId id) {
    connect(id);
    try (Arena arena = Arena.ofShared();
        WorkCompletions completion = new WorkCompletions(1);
        SendRequestList send = new SendRequestList(1, 1, 0);
        MemoryRegion mr = RdmaVerbs.regMsgs(id, arena.allocate(SixteenBytes.SIZE))) {
      send.add().opcode(WrOpcode.SEND).sge(mr, 0, SixteenBytes.SIZE).flags(SendFlags.SIGNALED);
      if (options.extended()) {
        send.xrc(ByteBuffer.wrap(id.event().conn().privateData()).getInt());
      }
      id.qp().postSendOrThrow(send);
      SixteenBytes.awaitSend(id, hearing(id), completion);
    }
    id.disconnect();
  }
}
