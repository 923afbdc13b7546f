package org.roce4j.simulation;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WrOpcode;

/** Draws the datagrams of one queue pair, to others and to groups. */
final class DatagramWorkload extends Workload {
  private static final int HOP_LIMIT = 64;
  private static final int ECN_BITS = 3;

  private final UnconnectedEnd end;
  private final List<Gid> groups;
  private final List<UnconnectedEnd> others;
  private final Map<Gid, AddressHandle> handles = new HashMap<>();

  DatagramWorkload(
      World world,
      UnconnectedEnd end,
      int operations,
      SplittableRandom random,
      List<Gid> groups,
      List<UnconnectedEnd> others) {
    super(world, end, operations, random);
    this.end = end;
    this.groups = groups;
    this.others = others;
  }

  @Override
  boolean addNext() {
    boolean immediate = random.nextBoolean();
    int mtu = options.integer(Knob.MTU);
    boolean oversized = chance(Knob.OVERSIZED);
    MemorySegment payload =
        RandomPayload.slice(random, oversized ? mtu + 1 + random.nextInt(mtu) : length(mtu));
    PostedSend send =
        source(immediate ? WrOpcode.SEND_WITH_IMM : WrOpcode.SEND, payload, !oversized);
    if (send == null) {
      return false;
    }
    if (immediate) {
      send.immediate = random.nextInt();
      requests.immediate(send.immediate);
    }
    address(send);
    return true;
  }

  @Override
  void addEmpty() {
    address(add(WrOpcode.SEND, RandomPayload.NOTHING, SendFlags.SIGNALED));
  }

  @Override
  PostedSend add(WrOpcode opcode, MemorySegment payload, int flags) {
    return super.add(opcode, payload, chance(Knob.SOLICIT) ? flags | SendFlags.SOLICITED : flags);
  }

  private void address(PostedSend send) {
    boolean rightKey = !chance(Knob.WRONG_KEYS);
    boolean toGroup = !groups.isEmpty() && random.nextInt(3) == 0;
    UnconnectedEnd one = others.get(random.nextInt(others.size()));
    Gid to = toGroup ? groups.get(random.nextInt(groups.size())) : addressOf(one);
    AddressHandle handle = handles.computeIfAbsent(to, this::handle);
    send.datagram =
        new Datagram(
            end.view().gid(), end.view().qpNum(), to, handle.attr().grh().trafficClass(), rightKey);
    requests.ud(
        handle,
        toGroup ? QueuePair.MULTICAST_QPN : one.view().qpNum(),
        rightKey ? UnconnectedEnd.QKEY : UnconnectedEnd.WRONG_QKEY);
    end.view().posted(send);
  }

  /**
   * An address of the other end's device, sometimes of a port to which its queue pair is not bound.
   */
  private Gid addressOf(UnconnectedEnd one) {
    List<Gid> all = one.device.gids();
    boolean astray = all.size() > 1 && random.nextInt(8) == 0;
    return astray ? all.get(random.nextInt(all.size())) : one.view().gid();
  }

  private AddressHandle handle(Gid to) {
    int trafficClass = random.nextInt(256) & ~ECN_BITS;
    AhAttr attr = AhAttr.roce(to, 0, HOP_LIMIT, trafficClass).onPort(end.port);
    return end.device.pd().createAh(attr);
  }

  private int length(int mtu) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextInt(2);
      case 1 -> mtu - random.nextInt(3);
      case 2 -> random.nextInt(Math.min(mtu, 64));
      default -> random.nextInt(mtu + 1);
    };
  }
}
