package org.roce4j.port.netty;

import io.netty.channel.Channel;
import java.io.IOException;
import java.net.NetworkInterface;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.GidAddress;

/** A bound, unconnected socket of one of the port's addresses or of a joined group. */
abstract class NettySocket {
  private final Channel channel;
  private final long high;
  private final long low;
  private final NetworkInterface scope;
  private boolean trains;
  private int trafficClass = -1;
  private int hopLimit = -1;
  private long heardHigh;
  private long heardLow;
  private int joins = 1;
  private int trainIndex;

  NettySocket(Channel channel, long high, long low, NetworkInterface scope, boolean trains) {
    this.channel = channel;
    this.high = high;
    this.low = low;
    heardHigh = high;
    heardLow = low;
    this.scope = scope;
    this.trains = trains;
  }

  /** Sets TOS or traffic class of the following datagrams. */
  abstract void setTrafficClass(int trafficClass) throws IOException;

  /** Sets TTL or hop limit of the following datagrams, if the transport can. */
  abstract void setHopLimit(int hopLimit) throws IOException;

  /** Closes the socket below the channel. Any thread may call this. Idempotent. */
  abstract void closeUnderneath() throws IOException;

  final Channel channel() {
    return channel;
  }

  final boolean ipv4() {
    return GidAddress.isIpv4Mapped(high, low);
  }

  final boolean is(long high, long low) {
    return this.high == high && this.low == low;
  }

  final long high() {
    return high;
  }

  final long low() {
    return low;
  }

  /**
   * First half of the port's address at which it receives; for a group the address that has joined.
   */
  final long heardHigh() {
    return heardHigh;
  }

  final long heardLow() {
    return heardLow;
  }

  final void heardBy(Gid own) {
    heardHigh = own.high();
    heardLow = own.low();
  }

  final boolean isHeardBy(Gid own) {
    return heardHigh == own.high() && heardLow == own.low();
  }

  final NetworkInterface scope() {
    return scope;
  }

  /** Whether segmentation offload may be tried. */
  final boolean trains() {
    return trains;
  }

  /** Notes that the kernel or the network device refuses trains. */
  final void refuseTrains() {
    trains = false;
  }

  /**
   * Sets fields of the IP header of the following datagrams; makes a system call only if they
   * change.
   */
  final void network(int trafficClass, int hopLimit) throws IOException {
    if (trafficClass != this.trafficClass) {
      setTrafficClass(trafficClass);
      this.trafficClass = trafficClass;
    }
    if (hopLimit != this.hopLimit && hopLimit > 0) {
      setHopLimit(hopLimit);
      this.hopLimit = hopLimit;
    }
  }

  /** A system call is about to receive, possibly a train. */
  final void readBegins() {
    trainIndex = 0;
  }

  /** The index of the datagram that Netty hands over among those of one system call. */
  final int nextTrainIndex() {
    return trainIndex++;
  }

  final void join() {
    joins++;
  }

  /** Undoes one join; returns whether the group has no member left. */
  final boolean leave() {
    return --joins == 0;
  }
}
