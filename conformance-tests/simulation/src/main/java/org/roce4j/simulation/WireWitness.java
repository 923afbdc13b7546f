package org.roce4j.simulation;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.roce4j.fabric.DropReason;
import org.roce4j.fabric.FabricDatagram;
import org.roce4j.fabric.FabricObserver;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Deth;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Reth;
import org.roce4j.wire.Transport;
import org.roce4j.wire.UdpSourcePort;

/** Watches all datagrams and passes each on to the views that it concerns. */
final class WireWitness implements FabricObserver {
  private final Map<Key, RequesterView> byResponder = new HashMap<>();
  private final Map<Key, RequesterView> byRequester = new HashMap<>();
  private final Map<Key, UnreliableView> unreliable = new HashMap<>();
  private final Map<Key, DatagramView> datagrams = new HashMap<>();
  private final Set<Gid> portsDown = new HashSet<>();
  private final Set<FabricDatagram> damaged = Collections.newSetFromMap(new IdentityHashMap<>());

  private final Map<Path, Mishaps> paths = new HashMap<>();

  /**
   * The datagrams under way to one device. A datagram to a group is copied, and only the copies
   * count.
   */
  private final Map<FabricDatagram, Course> underWay = new IdentityHashMap<>();

  private final Icrc icrc = new Icrc();

  private record Key(long high, long low, int qpNum) {}

  private record Path(long oneHigh, long oneLow, long otherHigh, long otherLow) {}

  /**
   * Whose mishaps a datagram under way counts for.
   *
   * @param own the connection's mishaps; null if it belongs to no reliable connection
   * @param irregular whether it arrives out of order
   */
  private record Course(Mishaps path, Mishaps own, boolean irregular) {
    /** The course of a datagram that arrives out of order. */
    Course late() {
      return new Course(path, own, true);
    }

    void departed(long nowNs) {
      path.departed(nowNs);
      if (own != null) {
        own.departed(nowNs);
      }
    }

    void arrived(long nowNs) {
      path.arrived(nowNs);
      if (own != null) {
        own.arrived(nowNs);
      }
    }

    void mishap() {
      path.happened();
      if (own != null) {
        own.happened();
      }
    }
  }

  /** The mishaps of packets between two addresses, both ways. */
  Mishaps path(Gid one, Gid other) {
    return path(one.high(), one.low(), other.high(), other.low());
  }

  private Mishaps path(long high, long low, long otherHigh, long otherLow) {
    boolean ordered = high < otherHigh || (high == otherHigh && low <= otherLow);
    return paths.computeIfAbsent(
        ordered
            ? new Path(high, low, otherHigh, otherLow)
            : new Path(otherHigh, otherLow, high, low),
        key -> new Mishaps());
  }

  /**
   * @param requester address of the requester
   * @param requesterQp its queue pair's number
   * @param responder address that its requests go to
   * @param responderQp number of the queue pair that its requests go to
   */
  void watch(RequesterView view, Gid requester, int requesterQp, Gid responder, int responderQp) {
    byRequester.put(new Key(requester.high(), requester.low(), requesterQp), view);
    byResponder.put(new Key(responder.high(), responder.low(), responderQp), view);
  }

  /**
   * @param responder address that the peer's messages go to
   * @param responderQp number of the queue pair that they go to
   */
  void watch(UnreliableView view, Gid responder, int responderQp) {
    unreliable.put(new Key(responder.high(), responder.low(), responderQp), view);
  }

  void unwatch(UnreliableView view, Gid responder, int responderQp) {
    unreliable.remove(new Key(responder.high(), responder.low(), responderQp), view);
  }

  /** Watches a queue pair for datagrams, even after its end: its datagrams may still arrive. */
  void watch(DatagramView view) {
    datagrams.put(new Key(view.gid().high(), view.gid().low(), view.qpNum()), view);
  }

  /** The port of an address went down, so that it receives nothing, or came up. */
  void port(Gid gid, boolean up) {
    if (up) {
      portsDown.remove(gid);
    } else {
      portsDown.add(gid);
    }
  }

  @Override
  public void sent(long nowNs, FabricDatagram datagram) {
    Opcode opcode = opcodeOf(datagram);
    if (!datagram.destination().isMulticast()) {
      depart(nowNs, datagram, courseOf(datagram, opcode));
    }
    if (opcode == null) {
      return;
    }
    int psn = Bth.psn(datagram.buffer(), datagram.at());
    if (opcode.transport() == Transport.UD) {
      DatagramView sender = sender(datagram, opcode);
      if (sender != null) {
        sender.packetSent(psn);
      }
    } else if (opcode.transport() == Transport.UC) {
      UnreliableView view = unreliable.get(destination(datagram));
      if (view != null) {
        view.sent(psn);
      }
    } else if (opcode.request()) {
      RequesterView view = byResponder.get(destination(datagram));
      if (view != null) {
        long readLength =
            opcode == Opcode.RC_RDMA_READ_REQUEST
                ? Reth.length(datagram.buffer(), datagram.at() + opcode.rethAt())
                : 0;
        view.requestSent(nowNs, opcode, psn, readLength);
      }
    }
  }

  private Course courseOf(FabricDatagram d, Opcode opcode) {
    RequesterView view = null;
    if (opcode != null && opcode.transport() == Transport.RC) {
      view = (opcode.request() ? byResponder : byRequester).get(destination(d));
    }
    return new Course(
        path(d.sourceHigh(), d.sourceLow(), d.destinationHigh(), d.destinationLow()),
        view == null ? null : view.excuses().own(),
        false);
  }

  private void depart(long nowNs, FabricDatagram datagram, Course course) {
    underWay.put(datagram, course);
    course.departed(nowNs);
  }

  private void mishap(FabricDatagram datagram) {
    Course course = underWay.get(datagram);
    if (course != null) {
      course.mishap();
    }
  }

  private void arrive(long nowNs, FabricDatagram datagram) {
    Course course = underWay.remove(datagram);
    if (course != null) {
      course.arrived(nowNs);
      if (course.irregular()) {
        course.mishap(); // only now is it out of order
      }
    }
  }

  @Override
  public void corrupted(long nowNs, FabricDatagram datagram, int bits) {
    damaged.add(datagram);
    mishap(datagram);
  }

  @Override
  public void delayed(long nowNs, FabricDatagram datagram, long delayNs) {
    mishap(datagram);
    underWay.computeIfPresent(datagram, (same, course) -> course.late());
  }

  @Override
  public void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {
    mishap(original);
    Course course = underWay.get(original);
    if (course != null) {
      depart(nowNs, copy, course.late());
    }
  }

  @Override
  public void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
    mishap(datagram);
    arrive(nowNs, datagram);
    damaged.remove(datagram);
  }

  @Override
  public void delivered(long nowNs, FabricDatagram datagram) {
    arrive(nowNs, datagram);
    if (damaged.remove(datagram) && !intact(datagram)) {
      return;
    }
    Opcode opcode = opcodeOf(datagram);
    if (opcode == null || portsDown.contains(datagram.receiver())) {
      return;
    }
    if (opcode.transport() == Transport.UD) {
      datagramDelivered(datagram, opcode);
    } else if (opcode.transport() == Transport.UC) {
      UnreliableView view = unreliable.get(destination(datagram));
      if (view != null) {
        view.delivered(opcode, Bth.psn(datagram.buffer(), datagram.at()));
      }
    } else if (opcode.response()) {
      RequesterView view = byRequester.get(destination(datagram));
      if (view != null) {
        int syndrome =
            opcode.hasAeth()
                ? Aeth.syndrome(datagram.buffer(), datagram.at() + opcode.aethAt())
                : Aeth.ACK;
        view.responseDelivered(nowNs, opcode, Bth.psn(datagram.buffer(), datagram.at()), syndrome);
      }
    }
  }

  private void datagramDelivered(FabricDatagram datagram, Opcode opcode) {
    DatagramView sender = sender(datagram, opcode);
    PostedSend message =
        sender == null ? null : sender.sent(Bth.psn(datagram.buffer(), datagram.at()));
    RuleBroken.checks(OracleRule.WHOLE_OR_NOT_AT_ALL);
    if (message == null) {
      throw new RuleBroken(
          OracleRule.WHOLE_OR_NOT_AT_ALL,
          "a datagram that nobody sent came to " + datagram.receiver());
    }
    if (message.datagram.to().isMulticast()) {
      for (DatagramView each : datagrams.values()) {
        if (each.gid().equals(datagram.receiver()) && each.isMember(message.datagram.to())) {
          each.arrived(message);
        }
      }
    } else {
      DatagramView receiver = datagrams.get(destination(datagram));
      if (receiver != null) {
        receiver.arrived(message);
      }
    }
  }

  private DatagramView sender(FabricDatagram datagram, Opcode opcode) {
    int sourceQp = Deth.sourceQp(datagram.buffer(), datagram.at() + opcode.dethAt());
    return datagrams.get(new Key(datagram.sourceHigh(), datagram.sourceLow(), sourceQp));
  }

  private static Opcode opcodeOf(FabricDatagram datagram) {
    return Opcode.of(Bth.opcode(datagram.buffer(), datagram.at()));
  }

  private static Key destination(FabricDatagram datagram) {
    return new Key(
        datagram.destinationHigh(),
        datagram.destinationLow(),
        Bth.destQp(datagram.buffer(), datagram.at()));
  }

  /** Whether the ICRC still fits: bits that routers may change are not covered. */
  private boolean intact(FabricDatagram d) {
    int carried = Icrc.read(d.buffer(), d.at() + d.length() - Icrc.SIZE);
    boolean ipv4 = GidAddress.isIpv4Mapped(d.destinationHigh(), d.destinationLow());
    return carried
        == (ipv4
            ? icrc.ofIpv4(
                GidAddress.ipv4(d.sourceLow()),
                GidAddress.ipv4(d.destinationLow()),
                d.sourcePort(),
                UdpSourcePort.ROCE_V2,
                d.identification(),
                d.buffer(),
                d.at(),
                d.length())
            : icrc.ofIpv6(
                d.sourceHigh(),
                d.sourceLow(),
                d.destinationHigh(),
                d.destinationLow(),
                d.sourcePort(),
                UdpSourcePort.ROCE_V2,
                d.buffer(),
                d.at(),
                d.length()));
  }
}
