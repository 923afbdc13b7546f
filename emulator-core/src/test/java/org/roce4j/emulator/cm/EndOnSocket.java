package org.roce4j.emulator.cm;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.engine.cm.ConnectionRow;
import org.roce4j.engine.cm.ConnectionState;
import org.roce4j.engine.cm.PeerMessages;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.Mra;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.Req;

/** An id of a device on sockets, and a peer that the test plays on a socket of its own. */
final class EndOnSocket implements AutoCloseable {
  private static final int PORT = 7471;
  private static final int OWN_QPN = 0x111;

  /** An id that no connection has. */
  private static final int NOBODY = 0x77;

  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

  private final Context device;
  private final MadSocket peer;
  private final RdmaCm cm;
  private final EventChannel channel;
  private final Gid peerAddress;
  private final Gid address;

  /** The id under test; null if there is none. */
  private CmId id;

  private boolean asks;
  private int ownId = NOBODY;
  private boolean closed;
  private List<CmMessage> heard = List.of();

  EndOnSocket(PortProvider provider, Gid peerAddress, Gid address, int udpPort) {
    this.peerAddress = peerAddress;
    this.address = address;
    device =
        Emulator.device(
                DeviceOptions.of("table", address)
                    .withTransport(provider.name())
                    .withUdpPort(udpPort))
            .open();
    peer = new MadSocket(provider, peerAddress, address, udpPort);
    cm = RdmaCm.open(device);
    channel = cm.createEventChannel();
  }

  /** Brings the id to the row's state; the messages and events on the way are taken. */
  void bring(ConnectionRow row) {
    if (row.state() != ConnectionState.IDLE) {
      asks = row.isActive();
      if (asks) {
        connect();
      } else {
        beAsked();
      }
    }
    row.way().forEach(this::put);
    asks = row.asks();
    drain();
  }

  private void connect() {
    id = channel.createId(PortSpace.TCP);
    id.resolveAddr(null, at(peerAddress), 2000);
    next().ack();
    id.resolveRoute(2000);
    next().ack();
    id.connect(parameters());
    Req req = (Req) peer.exchange(null).getFirst();
    ownId = req.localId();
  }

  private void beAsked() {
    CmId listener = channel.createId(PortSpace.TCP);
    listener.bindAddr(at(address));
    listener.listen(1);
    peer.exchange(request());
    try (CmEvent event = next()) {
      id = event.id();
    }
    // The same request once more makes the end send its id.
    Mra answer = (Mra) peer.exchange(request()).getFirst();
    ownId = answer.localId();
  }

  private static InetSocketAddress at(Gid gid) {
    return new InetSocketAddress(gid.toInetAddress(), PORT);
  }

  private static ConnParam parameters() {
    return new ConnParam().responderResources(4).initiatorDepth(4).qpNum(OWN_QPN);
  }

  private Req request() {
    return MadSocket.request(peerAddress, address, PORT);
  }

  private CmEvent next() {
    return channel.getCmEvent(PATIENCE_NS);
  }

  private void drain() {
    for (CmEvent event = channel.getCmEvent(0); event != null; event = channel.getCmEvent(0)) {
      event.ack();
    }
  }

  /** Gives an input to the id, and waits until the device has done all that follows at once. */
  void put(String input) {
    CmMessage message = null;
    if (ConnectionRow.isMessage(input)) {
      message = new PeerMessages(ownId, OWN_QPN, asks, request()).named(input);
    } else if (id != null) {
      call(input);
    }
    heard = peer.exchange(message);
  }

  private void call(String name) {
    try {
      switch (name) {
        case "establish" -> id.establish();
        case "accept" -> id.accept(parameters());
        case "reject" -> id.reject(new byte[0]);
        case "release" -> id.disconnect();
        case "confirm" -> id.notify(EventType.COMM_EST);
        case "close" -> {
          id.close();
          closed = true;
        }
        default -> throw new IllegalArgumentException(name);
      }
    } catch (VerbsException refused) {
      // The table says that no message follows.
    }
  }

  /** The messages that the last input caused, without repetitions of the awaited message. */
  String sent(ConnectionState before) {
    CmAttribute repeated =
        switch (before) {
          case REQ_SENT, MRA_REQ_RCVD -> CmAttribute.REQ;
          case REP_SENT, MRA_REP_RCVD -> CmAttribute.REP;
          case DREQ_SENT -> CmAttribute.DREQ;
          default -> null;
        };
    return heard.stream()
        .filter(message -> message.attribute() != repeated)
        .map(message -> message.attribute() + (message instanceof Rej r ? " " + r.reason() : ""))
        .collect(Collectors.joining(", "));
  }

  /** The events since then, in the words of the table; waits for as many as are expected. */
  String told(String expected) {
    List<String> words = new ArrayList<>();
    long waitNs = expected.isEmpty() ? 0 : PATIENCE_NS;
    for (CmEvent event = channel.getCmEvent(waitNs); event != null; event = channel.getCmEvent(0)) {
      event.ack();
      if (!(event instanceof CmEvent.TimewaitExit)) {
        words.add(word(event));
      }
    }
    return String.join(", ", words);
  }

  private static String word(CmEvent event) {
    return switch (event) {
      case CmEvent.ConnectResponse _ -> "replied";
      case CmEvent.Established _ -> "established";
      case CmEvent.Rejected rejected -> "rejected " + rejected.status();
      case CmEvent.Disconnected _ -> "released";
      default -> event.toString();
    };
  }

  /** Whether the id is in a state, by the words of a call that the state refuses. */
  boolean isIn(ConnectionState state) {
    if (id == null || closed) {
      return true;
    }
    try {
      if (state == ConnectionState.REP_RCVD) {
        id.accept(parameters());
      } else {
        id.establish();
      }
      return false;
    } catch (VerbsException refused) {
      return refused.getMessage().endsWith(" in state " + state);
    }
  }

  @Override
  public void close() {
    cm.close();
    device.close();
    peer.close();
  }
}
