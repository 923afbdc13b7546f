package org.roce4j.tools.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.Faults;
import org.roce4j.tools.console.Farewell;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.ConfiguredDevices;
import org.roce4j.tools.options.FaultsConverter;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.peer.SourceAddress;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.cm.RdmaCm;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say which device a command's connections use. */
final class CmDevices {
  private static final InetAddress ANY = InetAddress.ofLiteral("0.0.0.0");
  private static final InetAddress FIRST = InetAddress.ofLiteral("127.0.0.1");

  @Mixin private ConfiguredDevices configured;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "Use this device of 'roce4j devices' instead of making one.")
  private String device;

  @Option(
      names = "--bind",
      paramLabel = "IP",
      description =
          "Local address of the device that is made. Default: the address that is listened at"
              + " (127.0.0.1 for any), or that leads to the peer.")
  private InetAddress bind;

  @Option(
      names = "--faults",
      paramLabel = "PLAN",
      converter = FaultsConverter.class,
      description =
          "Faults of this side's packets and verbs: a plan such as \"drop nth=3; refuse=ENOMEM"
              + " call=postSend nth=5\", or a file with one.")
  private Faults faults = Faults.NONE;

  /**
   * An opened device and its connection manager.
   *
   * @param farewell informs the peers when a signal ends the process
   */
  record Opened(Context context, RdmaCm cm, Farewell farewell) implements AutoCloseable {
    Opened(Context context) {
      this(context, RdmaCm.open(context), new Farewell(context::close));
    }

    @Override
    public void close() {
      try (farewell;
          context) {
        cm.close();
      }
    }
  }

  /**
   * The device of a side that listens.
   *
   * @param at where; null or the wildcard: anywhere
   */
  Opened listening(InetAddress at) {
    return open(at == null || at.isAnyLocalAddress() ? FIRST : at);
  }

  /**
   * The device of a side that connects.
   *
   * @param from the local address, or null
   */
  Opened connecting(InetAddress from, InetAddress to) {
    return open(
        from != null || bind != null || device != null ? from : SourceAddress.leadingTo(to));
  }

  /** The work of the side that listens. */
  interface ListeningSide {
    void run(RdmaCm cm, InetSocketAddress at);
  }

  /** The work of the side that connects; {@code from} may be null. */
  interface ConnectingSide {
    void run(RdmaCm cm, InetAddress from, InetSocketAddress to);
  }

  /**
   * Plays one side of a program.
   *
   * @param own the local address, or null
   * @param server where the other side listens; null: this side listens, at {@code own} or anywhere
   */
  void play(
      InetAddress own,
      InetAddress server,
      int port,
      ListeningSide listening,
      ConnectingSide connecting) {
    if (server == null) {
      InetSocketAddress at = new InetSocketAddress(own != null ? own : ANY, port);
      try (Opened opened = listening(at.getAddress())) {
        listening.run(opened.cm(), at);
      }
      return;
    }
    InetSocketAddress to = new InetSocketAddress(server, port);
    try (Opened opened = connecting(own, server)) {
      connecting.run(opened.cm(), own, to);
    }
  }

  private Opened open(InetAddress local) {
    Context context = faults.atVerbs(chosen(local), System::nanoTime).open();
    try {
      return new Opened(context);
    } catch (RuntimeException e) {
      context.close();
      throw e;
    }
  }

  private RdmaDevice chosen(InetAddress local) {
    if (device != null) {
      if (faults.meansPackets()) {
        throw ToolFailure.usage(
            "--faults of packets needs a device made for this run: leave out --device");
      }
      return configured.device(device);
    }
    Gid address = Gid.of(bind != null ? bind : local);
    return Emulator.device(
        faults.atPort(configured.made("roce0", address, 0, TransportName.AUTO), 0));
  }

  /** The address that a host name or literal means. */
  static InetAddress address(String name) {
    try {
      return InetAddress.getByName(name);
    } catch (UnknownHostException e) {
      throw ToolFailure.atRunTime("no host is called '" + name + "'", e);
    }
  }
}
