package org.roce4j.tools.cm;

import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.RdmaVerbs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j rdma-xserver}. */
@Command(
    name = "rdma-xserver",
    mixinStandardHelpOptions = true,
    header = "Wait for a client and take 16 bytes from it, as rdma_xserver does.",
    footerHeading = "%nExample:%n",
    footer = "  roce4j rdma-xserver -c x")
public final class RdmaXserverCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "-b",
      paramLabel = "ADDRESS",
      defaultValue = "0.0.0.0",
      description = "Where to listen (default: ${DEFAULT-VALUE}).")
  private InetAddress at;

  @Mixin private ExtendedOptions options;
  @Mixin private CmDevices devices;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    QpInitAttr attr = new QpInitAttr().cap(new QpCapabilities(1, 1, 1, 1));
    AddrInfo hints = options.hints(QpType.XRC_RECV).flags(AddrInfo.PASSIVE);
    AddrInfo here = AddrInfo.resolve(at.getHostAddress(), options.port(), hints);
    try (CmDevices.Opened opened = devices.listening(at);
        CmId listener = opened.cm().createEp(here, null, attr)) {
      listener.listen(0);
      out.println("rdma_xserver: start");
      out.flush();
      try (CmId id = listener.getRequest()) {
        take(id);
        id.disconnect();
      }
    }
    out.println("rdma_xserver: end 0");
    out.flush();
    return 0;
  }

  /** The target of an extended connection receives into a queue that its peer names by number. */
  private void take(CmId id) {
    if (options.extended()) {
      id.createSrq(new SrqInitAttrEx().srqType(SrqType.XRC).maxWr(1).maxSge(1));
    }
    int number = options.extended() ? id.srq().srqNum() : 0;
    ByteBuffer told = ByteBuffer.allocate(Integer.BYTES).putInt(number);
    try (Arena arena = Arena.ofShared();
        WorkCompletions completion = new WorkCompletions(1)) {
      MemorySegment message = arena.allocate(ExtendedOptions.SIZE);
      try (MemoryRegion mr = RdmaVerbs.regMsgs(id, message)) {
        RdmaVerbs.postRecv(id, 0, message, mr);
        id.accept(new ConnParam().privateData(told.array()));
        RdmaVerbs.getRecvComp(id, completion);
        if (completion.status(0) != WcStatus.SUCCESS) {
          throw ToolFailure.atRunTime("the receive failed: " + completion.toString(0));
        }
      }
    }
  }
}
