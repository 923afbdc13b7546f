package org.roce4j.tools.cm;

import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.RdmaVerbs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j rdma-xclient}. */
@Command(
    name = "rdma-xclient",
    mixinStandardHelpOptions = true,
    header = "Call a server and send it 16 bytes, as rdma_xclient does.",
    footerHeading = "%nExample:%n",
    footer = "  roce4j rdma-xclient -c x -s 127.0.0.1")
public final class RdmaXclientCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "-s",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Where the server is (default: ${DEFAULT-VALUE}).")
  private String server;

  @Mixin private ExtendedOptions options;
  @Mixin private CmDevices devices;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    QpInitAttr attr = new QpInitAttr().cap(new QpCapabilities(1, 1, 1, 1)).sqSigAll(true);
    AddrInfo there = AddrInfo.resolve(server, options.port(), options.hints(QpType.XRC_SEND));
    out.println("rdma_xclient: start");
    out.flush();
    try (CmDevices.Opened opened = devices.connecting(null, there.dstAddr().getAddress());
        CmId id = opened.cm().createEp(there, null, attr)) {
      id.connect(new ConnParam());
      send(id);
      id.disconnect();
    }
    out.println("rdma_xclient: end 0");
    out.flush();
    return 0;
  }

  /** An extended request names the server's queue, whose number came with the acceptance. */
  private void send(CmId id) {
    try (Arena arena = Arena.ofShared();
        WorkCompletions completion = new WorkCompletions(1);
        SendRequestList send = new SendRequestList(1, 1, 0);
        MemoryRegion mr = RdmaVerbs.regMsgs(id, arena.allocate(ExtendedOptions.SIZE))) {
      send.add().opcode(WrOpcode.SEND).sge(mr, 0, ExtendedOptions.SIZE).flags(SendFlags.SIGNALED);
      if (options.extended()) {
        send.xrc(ByteBuffer.wrap(id.event().conn().privateData()).getInt());
      }
      id.qp().postSendOrThrow(send);
      RdmaVerbs.getSendComp(id, completion);
      if (completion.status(0) != WcStatus.SUCCESS) {
        throw ToolFailure.atRunTime("the send failed: " + completion.toString(0));
      }
    }
  }
}
