package org.roce4j.simulation;

import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpType;

/** One end of an unreliable connection: a message is received whole or not at all. */
final class UnreliableEnd extends ConnectedEnd {
  private final UnreliableReceiver receiver;

  /** The view of this end as responder; null until it is connected. */
  private UnreliableView incoming;

  UnreliableEnd(
      World world, SimulatedDevice device, String name, Life life, SplittableRandom random) {
    super(world, device, QpType.UC, name, life, random);
    receiver =
        new UnreliableReceiver(
            name,
            this::inError,
            receivePool(world.options.longestMessage(), random, n -> -1),
            world);
  }

  @Override
  Receiver receiver() {
    return receiver;
  }

  @Override
  void listen() {
    incoming = new UnreliableView(receiver.arrivals(), peer().firstPsn());
    world.witness.watch(incoming, gid(), qp.qpNum());
  }

  @Override
  QpAttr attributes(QpAttr common) {
    return common.qpAccessFlags(AccessFlags.REMOTE_WRITE);
  }

  @Override
  void stopListening() {
    world.witness.unwatch(incoming, gid(), qp.qpNum());
  }

  @Override
  void quiet(boolean silent) {
    peer().peerQuiet(silent);
  }

  @Override
  void peerQuiet(boolean silent) {
    incoming.quiet(silent);
  }

  @Override
  void expect(PostedSend send) {
    int mtu = world.options.integer(Knob.MTU);
    incoming.posted(send, Math.max(1, (send.length() + mtu - 1) / mtu));
  }

  @Override
  public void succeeded(PostedSend send) {
    send.mayTearRemote(); // it may arrive later
    send.giveOwned();
  }

  @Override
  public void failed(PostedSend send) {
    send.mayTearRemote();
  }
}
