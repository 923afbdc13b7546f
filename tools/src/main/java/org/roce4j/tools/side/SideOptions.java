package org.roce4j.tools.side;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.emulator.Faults;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.tools.options.ConfiguredDevices;
import org.roce4j.tools.options.FaultsConverter;
import org.roce4j.tools.options.GidConverter;
import org.roce4j.tools.options.TransportName;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that say which device a side uses and where its peer is. */
public abstract class SideOptions {
  /** A day. */
  private static final int MOST_ACCEPT_SECONDS = 86_400;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Mixin private ConfiguredDevices configured;

  @Option(names = "--server", description = "Wait for a client.")
  private boolean server;

  @Option(
      names = "--transport",
      paramLabel = "TRANSPORT",
      defaultValue = "auto",
      description =
          "What carries the packets: linux, netty, fabric (a virtual network in this process, in"
              + " virtual time), or auto, the best that works here (default).")
  private TransportName transport;

  @Option(
      names = "--bind",
      paramLabel = "IP",
      split = ",",
      converter = GidConverter.class,
      description =
          "Local address of the device; two, with a comma, for both sides on this machine. Default:"
              + " 127.0.0.1 and 127.0.0.2, else the address that leads to the peer.")
  private List<Gid> bind = new ArrayList<>();

  @Option(
      names = {"-p", "--port"},
      paramLabel = "PORT",
      defaultValue = "18515",
      description = "TCP port of the exchange of addresses (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = {"-i", "--ib-port"},
      paramLabel = "N",
      defaultValue = "1",
      description = "The port of the device; more than 1 with --device (default: 1).")
  private int ibPort;

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "Give up a peer that sends nothing for SECONDS, while addresses are exchanged and after"
              + " (default: ${DEFAULT-VALUE}).")
  private int patience;

  @Option(
      names = "--accept-timeout",
      paramLabel = "SECONDS",
      description =
          "With --server: give up when no client comes within SECONDS (default: wait for ever).")
  private Integer acceptTimeout;

  @Option(
      names = "--faults",
      paramLabel = "PLAN",
      converter = FaultsConverter.class,
      description =
          "Faults of this side's packets and verbs (of two devices in this process, the client's;"
              + " of two processes, those of both): a plan such as \"seed=7; drop probability=1%%;"
              + " refuse=ENOMEM call=registerMemory\", or a file with one.")
  private Faults faults = Faults.NONE;

  /** The peer to call, or null. */
  public abstract String host();

  /** The name of a device of the device list, or null: a device is made for this run. */
  public abstract String device();

  /** Index of the local address in the device's GID table. */
  public abstract int gidIndex();

  /** The port, and the index of the address there. */
  public final LocalAddress localAddress() {
    return new LocalAddress(ibPort, gidIndex());
  }

  /** Refuses options that contradict each other. */
  public final void demand(boolean right, String message) {
    if (!right) {
      throw new ParameterException(command.commandLine(), message);
    }
  }

  /** Checks these options as far as that needs no device. */
  protected final void checkSide() {
    demand(!(server && host() != null), "--server waits for a peer and HOST calls one: choose");
    checkLocalAddress();
    demand(patience >= 1, "--patience must be 1 second or more, not " + patience);
    demand(
        acceptTimeout == null || server,
        "--accept-timeout is for a server: add --server or omit it");
    demand(
        acceptTimeout == null || acceptTimeout >= 1 && acceptTimeout <= MOST_ACCEPT_SECONDS,
        Wording.of(
            "--accept-timeout must be 1 to %d seconds, not %d",
            MOST_ACCEPT_SECONDS, acceptTimeout));
    demand(
        local() || transport != TransportName.FABRIC,
        "the fabric lives in one process: leave out --server and HOST, or choose another"
            + " --transport");
    demand(
        bind.size() <= (local() ? 2 : 1),
        Wording.of(
            "--bind takes at most %s here, not %d",
            local() ? "2 addresses" : "1 address", bind.size()));
    demand(
        bind.size() < 2 || bind.get(0).isIpv4Mapped() == bind.get(1).isIpv4Mapped(),
        "both addresses of --bind must be IPv4 or both IPv6");
    demand(new HashSet<>(bind).size() == bind.size(), "--bind names one address twice");
    demand(
        device() == null || bind.isEmpty(),
        "--device has its own addresses (--gid-index selects one): leave out --bind");
    demand(
        device() == null || transport == TransportName.AUTO,
        "--device has its own transport: leave out --transport");
    demand(
        !faults.meansPackets() || device() == null,
        "--faults of packets needs a device made for this run: leave out --device");
    for (Gid address : bind) {
      boolean any = address.isZero() || address.isIpv4Mapped() && address.ipv4() == 0;
      demand(
          !any && !address.isMulticast(),
          "--bind needs the address of one interface, not " + address.addressText());
    }
  }

  private void checkLocalAddress() {
    demand(gidIndex() >= 0 && gidIndex() <= 255, "--gid-index must be 0 to 255, not " + gidIndex());
    demand(ibPort >= 1 && ibPort <= 255, "--ib-port must be 1 to 255, not " + ibPort);
    demand(
        ibPort == 1 || device() != null,
        "--ib-port is of a device with several ports: name it by --device");
  }

  /** The command that has these options. */
  protected final CommandSpec command() {
    return command;
  }

  /** Whether this command starts both sides. */
  public final boolean local() {
    return !server && host() == null;
  }

  /** Whether this side waits for its peer. */
  public final boolean server() {
    return server;
  }

  public final TransportName transport() {
    return transport;
  }

  /** Faults of the first device that is made. */
  public final Faults faults() {
    return faults;
  }

  /** The network of a run on the fabric, with the faults of the client's address. */
  public final FabricDevices fabric(Gid client) {
    FabricDevices devices = new FabricDevices(FabricOptions.of(0).withLink(faults.links()));
    if (!faults.packets().isEmpty()) {
      try {
        devices.fabric().faults(faults.ofPackets(), client);
      } catch (VerbsException e) {
        devices.close();
        throw new ParameterException(command.commandLine(), "--faults: " + e.remedy());
      }
    }
    return devices;
  }

  /** The configuration of devices. */
  public final ConfiguredDevices configured() {
    return configured;
  }

  /** The requested local addresses; empty if there are none. */
  public final List<Gid> bind() {
    return List.copyOf(bind);
  }

  /** The requested address, or null. */
  public final Gid bound() {
    return bind.isEmpty() ? null : bind.getFirst();
  }

  /** Whether the device is known before the peer has called. */
  public final boolean deviceIsChosen() {
    return device() != null || !bind.isEmpty();
  }

  /** TCP port of the exchange. */
  public final int port() {
    return port;
  }

  /** How long a server waits for each client; zero: for ever. */
  public final Duration acceptTimeout() {
    return Duration.ofSeconds(acceptTimeout == null ? 0 : acceptTimeout);
  }

  /** How long the peer may be silent. */
  public final Duration patience() {
    return Duration.ofSeconds(patience);
  }
}
