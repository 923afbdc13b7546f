package org.roce4j.port.netty;

import io.netty.channel.Channel;
import java.io.IOException;
import java.net.NetworkInterface;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.GidAddress;

/** One bound, never connected socket: of one of our addresses, or of a group that was joined. */
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

  /** Sets TOS or traffic class of what is sent from now on. */
  abstract void setTrafficClass(int trafficClass) throws IOException;

  /** Sets TTL or hop limit of what is sent from now on, as far as the transport can. */
  abstract void setHopLimit(int hopLimit) throws IOException;

  /** Closes the socket under the channel, from any thread; idempotent. */
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

  /** First half of the own address by which it hears: of a group, that which has joined it. */
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

  /** Remembers that the kernel or the device under it refuses trains. */
  final void refuseTrains() {
    trains = false;
  }

  /** What the IP header of the next datagrams says; a system call only where that changes. */
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

  /** A system call is about to receive; what it returns may be a train. */
  final void readBegins() {
    trainIndex = 0;
  }

  /** The index, within what one system call received, of the datagram that Netty hands over. */
  final int nextTrainIndex() {
    return trainIndex++;
  }

  final void join() {
    joins++;
  }

  /** Whether nobody needs the group any more. */
  final boolean leave() {
    return --joins == 0;
  }
}
