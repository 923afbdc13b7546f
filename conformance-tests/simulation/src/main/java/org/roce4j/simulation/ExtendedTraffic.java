package org.roce4j.simulation;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.LinkModel;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Random traffic of extended reliable connections under seeded faults, judged by an oracle: several
 * initiators send to several shared receive queues through targets on any engine. It draws from a
 * random stream of its own, so that the runs of {@link Simulation} stay the same. A seed repeats a
 * run packet for packet.
 */
public final class ExtendedTraffic implements AutoCloseable {
  private static final Gid NEAR = Gid.parse("10.0.0.1");
  private static final Gid FAR = Gid.parse("10.0.0.2");
  private static final int MOST_TURNS = 100_000;

  private final Arena arena = Arena.ofShared();
  private final SplittableRandom random;
  private final FabricDevices devices;
  private final List<ExtendedReceiver> receivers = new ArrayList<>();
  private final List<ExtendedSender> senders = new ArrayList<>();

  private ExtendedTraffic(long seed) {
    random = new SplittableRandom(seed);
    LinkModel link =
        LinkModel.PERFECT
            .withDelayNs(1 + random.nextLong(20_000))
            .withLoss(random.nextInt(3) * 0.02)
            .withDuplicate(random.nextInt(2) * 0.03)
            .withReorder(random.nextInt(2) * 0.05, 30_000);
    devices = new FabricDevices(FabricOptions.of(seed).withLink(link));
    Context near = device("near", NEAR).open();
    Context far = device("far", FAR).open();
    XrcDomain domain = far.openXrcd(new XrcdInitAttr());
    int queues = 1 + random.nextInt(4);
    for (int i = 0; i < queues; i++) {
      receivers.add(new ExtendedReceiver(far, domain, arena, i));
    }
    int connections = 1 + random.nextInt(5);
    for (int i = 0; i < connections; i++) {
      senders.add(connection(near, far, domain, i));
    }
  }

  private EmulatedDevice device(String name, Gid address) {
    return devices.device(devices.options(name, address).withEngines(1 << random.nextInt(3)));
  }

  private ExtendedSender connection(Context near, Context far, XrcDomain domain, int index) {
    ExtendedSender sender = new ExtendedSender(near, arena, index, receivers, random.split());
    QueuePair target = far.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(domain));
    Mtu mtu = Mtu.of(1 + random.nextInt(3));
    QpBringUp.to(QpState.RTR, target, attributes(NEAR, sender.qp().qpNum(), mtu));
    QpBringUp.toRts(sender.qp(), attributes(FAR, target.qpNum(), mtu));
    receivers.forEach(receiver -> receiver.expect(target.qpNum(), sender));
    return sender;
  }

  private static QpAttr attributes(Gid peer, int number, Mtu mtu) {
    return QpBringUp.attributes(AhAttr.roce(peer, 0), number)
        .pathMtu(mtu)
        .sqPsn(0xfffff0)
        .rqPsn(0xfffff0)
        .minRnrTimer(1)
        .timeout(12)
        .maxRdAtomic(4)
        .maxDestRdAtomic(4);
  }

  /**
   * Plays one run.
   *
   * @param messages number of messages of each initiator
   * @return a digest of the run
   * @throws AssertionError naming the seed, if a rule was broken
   */
  public static long play(long seed, int messages) {
    try (ExtendedTraffic traffic = new ExtendedTraffic(seed)) {
      return traffic.play(messages);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  private long play(int messages) {
    for (int turn = 0; !finished(messages); turn++) {
      if (turn == MOST_TURNS) {
        throw new AssertionError("it does not end: " + senders);
      }
      for (ExtendedReceiver receiver : receivers) {
        if (random.nextInt(3) > 0) {
          receiver.post(random.nextInt(4));
        }
        receiver.poll();
      }
      for (ExtendedSender sender : senders) {
        sender.post(messages);
        sender.poll();
      }
    }
    receivers.forEach(ExtendedReceiver::poll);
    long digest = devices.fabric().nowNs();
    for (ExtendedSender sender : senders) {
      sender.isComplete();
      digest = 31 * digest + sender.digest();
    }
    for (ExtendedReceiver receiver : receivers) {
      receiver.isComplete(senders);
      digest = 31 * digest + receiver.digest();
    }
    return digest;
  }

  private boolean finished(int messages) {
    return senders.stream().allMatch(sender -> sender.completed() == messages);
  }

  @Override
  public void close() {
    devices.close();
    arena.close();
  }
}
