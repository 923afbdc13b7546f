package org.roce4j.tools.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j mckey}. */
@Command(
    name = "mckey",
    mixinStandardHelpOptions = true,
    header = "Join a multicast group and send to it or hear it, as mckey does.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j mckey -m 239.1.2.3 -b 127.0.0.1       hear ten datagrams",
      "  roce4j mckey -m 239.1.2.3 -b 127.0.0.2 -s    send ten"
    })
public final class MckeyCommand implements Callable<Integer> {
  private static final int TIMEOUT_MS = 2000;

  @Spec private CommandSpec spec;
  @Mixin private MessageOptions options;
  @Mixin private CmDevices devices;

  @Option(names = "-m", paramLabel = "GROUP", description = "The group, an IP address.")
  private String group;

  @Option(
      names = "-M",
      paramLabel = "MGID",
      description =
          "The group as a GID that no IP address stands for: InfiniBand alone has such, so it is"
              + " refused.")
  private String unmapped;

  @Option(names = "-s", description = "Send to the group instead of hearing it.")
  private boolean sender;

  @Option(names = "-o", description = "Join to send only.")
  private boolean sendOnly;

  @Option(names = "-l", description = "Do not hear what this queue pair itself sends.")
  private boolean noLoopback;

  @Option(
      names = "-p",
      paramLabel = "PORT_SPACE",
      defaultValue = "0x111",
      converter = PortSpaceConverter.class,
      description = "Port space: 0x111 for UDP, 0x2 for IPOIB (default: ${DEFAULT-VALUE}).")
  private PortSpace space;

  private Speech speech;
  private final List<MessageNode> nodes = new ArrayList<>();

  @Override
  public Integer call() {
    speech = new Speech("mckey", spec.commandLine());
    options.check();
    InetAddress own = options.bind(CmDevices::address);
    InetAddress to = group();
    speech.say("mckey: starting " + (sender ? "client" : "server"));
    try (CmDevices.Opened opened = devices.connecting(own, to)) {
      run(opened.cm(), own, to);
    }
    speech.say("test complete");
    speech.say("return status 0");
    return 0;
  }

  private InetAddress group() {
    if (unmapped != null) {
      throw ToolFailure.usage(
          "-M: a group of RoCE is an IP address; name it by -m, such as -m 239.1.2.3");
    }
    if (group == null) {
      throw ToolFailure.usage("-m GROUP is missing, such as -m 239.1.2.3");
    }
    InetAddress to = CmDevices.address(group);
    if (!to.isMulticastAddress()) {
      throw ToolFailure.usage("-m takes a multicast address, not " + group);
    }
    if (space.qpType() != QpType.UD) {
      throw ToolFailure.usage("-p is udp or ipoib: ids of " + space + " join no groups");
    }
    return to;
  }

  private void run(RdmaCm cm, InetAddress own, InetAddress to) {
    EventChannel channel = cm.createEventChannel();
    speech.say("mckey: joining");
    try {
      for (int i = 0; i < options.connections(); i++) {
        join(channel, channel.createId(space), own, to);
      }
      transfer();
      nodes.forEach(node -> node.id().leaveMulticast(to));
    } finally {
      nodes.forEach(MessageNode::close);
    }
  }

  private void join(EventChannel channel, CmId id, InetAddress own, InetAddress to) {
    options.apply(id);
    InetSocketAddress source = own == null ? null : new InetSocketAddress(own, 0);
    id.resolveAddr(source, new InetSocketAddress(to, 0), TIMEOUT_MS);
    ConnectionEvents.take(channel, CmEvent.AddrResolved.class, speech::note).ack();
    MessageNode node =
        new MessageNode(
            id,
            options.count(),
            options.size(),
            noLoopback ? QpCreateFlags.BLOCK_SELF_MCAST_LB : 0,
            new ConnectionWait(ConnectionWait.Events.NONE, speech::note));
    nodes.add(node);
    if (!sender) {
      node.postReceives();
    }
    id.joinMulticast(to, sendOnly ? JoinFlag.SENDONLY_FULLMEMBER : JoinFlag.FULLMEMBER, null);
    try (CmEvent joined =
        ConnectionEvents.take(channel, CmEvent.MulticastJoin.class, speech::note)) {
      speech.say(
          Wording.of(
              "mckey: joined dgid: %s mlid 0x%x sl %d",
              joined.ud().ahAttr().grh().dgid(),
              joined.ud().ahAttr().dlid(),
              joined.ud().ahAttr().serviceLevel()));
      if (sender) {
        node.reach(joined.ud());
      }
    }
  }

  private void transfer() {
    if (options.count() == 0) {
      return;
    }
    if (sender) {
      speech.say("initiating data transfers");
      nodes.forEach(MessageNode::postSends);
      nodes.forEach(MessageNode::awaitSends);
    } else {
      speech.say("receiving data transfers");
      nodes.forEach(MessageNode::awaitGroup);
    }
    speech.say("data transfers complete");
  }
}
