package org.roce4j.lab;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.roce4j.fabric.DropReason;
import org.roce4j.fabric.FabricDatagram;
import org.roce4j.fabric.FabricObserver;
import org.roce4j.fabric.FateText;
import org.roce4j.lab.Happening.Kind;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.capture.Dissector;

/** All packets of a lab and their fates. */
final class PacketLog implements FabricObserver {
  private final Function<Gid, String> names;
  private final HappeningLog log;
  private final List<Entry> entries = new ArrayList<>();
  private final Map<FabricDatagram, Entry> underWay = new IdentityHashMap<>();

  private static final class Entry {
    private final FabricDatagram datagram;
    private final int number;
    private final int copyOf;
    private final String from;
    private final String to;
    private final long sentNs;
    private Bytes bytes;
    private long endNs;
    private LabPacket.Stage fate = LabPacket.Stage.UNDER_WAY;
    private String comment = "";

    Entry(FabricDatagram datagram, int number, int copyOf, String from, String to, long sentNs) {
      this.datagram = datagram;
      this.number = number;
      this.copyOf = copyOf;
      this.from = from;
      this.to = to;
      this.sentNs = sentNs;
      bytes = datagram.packet();
    }

    void end(LabPacket.Stage how, long atNs) {
      fate = how;
      endNs = atNs;
    }

    void note(String text) {
      comment = comment.isEmpty() ? text : comment + "; " + text;
    }

    String what() {
      return Dissector.dissectIp(bytes.buffer()).getFirst().toString();
    }

    LabPacket shown() {
      long ends = fate == LabPacket.Stage.UNDER_WAY ? datagram.arrivalNs() : endNs;
      return new LabPacket(number, from, to, sentNs, ends, fate, what(), comment, copyOf, bytes);
    }
  }

  /**
   * @param names gives the name of the device with an address, or an empty text
   */
  PacketLog(Function<Gid, String> names, HappeningLog log) {
    this.names = names;
    this.log = log;
  }

  List<LabPacket> packets() {
    return entries.stream().map(Entry::shown).toList();
  }

  /**
   * The datagram of a packet in flight.
   *
   * @throws IllegalArgumentException with the reason if the packet is not in flight
   */
  FabricDatagram underWay(int number) {
    if (number > entries.size()) {
      throw new IllegalArgumentException("there is no packet " + number + " yet");
    }
    Entry entry = entries.get(number - 1);
    if (entry.fate != LabPacket.Stage.UNDER_WAY) {
      throw new IllegalArgumentException(
          Wording.of(
              "packet %d is not under way: it %s",
              number, entry.fate == LabPacket.Stage.LOST ? "was lost" : "has arrived"));
    }
    return entry.datagram;
  }

  @Override
  public void sent(long nowNs, FabricDatagram datagram) {
    Entry entry = enter(nowNs, datagram, 0);
    tell(entry, Wording.of("%s > %s %s", entry.from, entry.to, entry.what()));
  }

  private Entry enter(long nowNs, FabricDatagram datagram, int copyOf) {
    String from = names.apply(datagram.source());
    String to = names.apply(datagram.destination());
    Entry entry = new Entry(datagram, entries.size() + 1, copyOf, from, to, nowNs);
    entries.add(entry);
    underWay.put(datagram, entry);
    return entry;
  }

  @Override
  public void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
    Entry entry = underWay.remove(datagram);
    if (entry != null) {
      entry.end(LabPacket.Stage.LOST, nowNs);
      entry.note(FateText.dropped(datagram, reason));
      tell(entry, entry.comment);
    }
  }

  @Override
  public void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {
    Entry first = underWay.get(original);
    if (first != null) {
      Entry second = enter(nowNs, copy, first.number);
      first.note(FateText.duplicated(original));
      tell(second, "a copy of packet " + first.number);
    }
  }

  @Override
  public void forged(long nowNs, FabricDatagram original, FabricDatagram forged) {
    sent(nowNs, forged);
    met(forged, FateText.forged(original));
  }

  @Override
  public void marked(long nowNs, FabricDatagram datagram) {
    met(datagram, FateText.marked(datagram));
  }

  @Override
  public void cut(long nowNs, FabricDatagram datagram, int bytes) {
    met(datagram, FateText.cut(datagram, bytes));
  }

  @Override
  public void corrupted(long nowNs, FabricDatagram datagram, int bits) {
    met(datagram, FateText.corrupted(datagram, bits));
  }

  @Override
  public void delayed(long nowNs, FabricDatagram datagram, long delayNs) {
    met(datagram, FateText.delayed(datagram, delayNs));
  }

  private void met(FabricDatagram datagram, String fate) {
    Entry entry = underWay.get(datagram);
    if (entry != null) {
      entry.bytes = datagram.packet();
      entry.note(fate);
      tell(entry, entry.comment);
    }
  }

  @Override
  public void delivered(long nowNs, FabricDatagram datagram) {
    Entry entry = underWay.remove(datagram);
    if (entry != null) {
      entry.bytes = datagram.packet();
      entry.end(LabPacket.Stage.ARRIVED, nowNs);
      tell(entry, "arrives at " + entry.to);
    }
  }

  private void tell(Entry entry, String what) {
    log.add(Kind.PACKET, "packet " + entry.number, what);
  }
}
