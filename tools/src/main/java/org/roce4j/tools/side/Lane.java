package org.roce4j.tools.side;

import org.roce4j.connect.QpAddress;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.text.Wording;

/** One queue pair of a side, and the queue pair of the peer that it is connected to. */
public class Lane<A extends QpAddress> {
  /** From 0; the peer's queue pair has the same. */
  public final int index;

  public final QueuePair qp;

  /** The address of this queue pair for the peer. */
  public final A own;

  private A peer;
  private AddressHandle route;
  private int peerQpn;
  private int peerQkey;

  protected Lane(int index, QueuePair qp, A own) {
    this.index = index;
    this.qp = qp;
    this.own = own;
  }

  /** The peer's queue pair; null until connected. */
  public final A peer() {
    return peer;
  }

  /** The address handle of datagrams to the peer; null on a connection. */
  public final AddressHandle route() {
    return route;
  }

  /** The queue pair that datagrams go to. */
  public final int peerQpn() {
    return peerQpn;
  }

  /** The Q_Key of datagrams. */
  public final int peerQkey() {
    return peerQkey;
  }

  /** The peer's queue pair, for people. */
  public final String peerName() {
    return Wording.of("%s (QP 0x%x)", peer.gid().addressText(), peer.qpn());
  }

  void connected(A to) {
    peer = to;
  }

  /** Datagrams go to that queue pair from now on. */
  public final void reached(AddressHandle over, int qpn, int qkey) {
    route = over;
    peerQpn = qpn;
    peerQkey = qkey;
  }
}
