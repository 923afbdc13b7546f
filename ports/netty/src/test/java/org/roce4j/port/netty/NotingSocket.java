package org.roce4j.port.netty;

import io.netty.channel.Channel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.Gid;

/** A socket that makes no system call and notes the options that the port sets. */
class NotingSocket extends NettySocket {
  final List<String> calls = new ArrayList<>();

  NotingSocket(Channel channel, Gid gid, boolean trains) {
    super(channel, gid.high(), gid.low(), null, trains);
  }

  @Override
  void setTrafficClass(int trafficClass) throws IOException {
    calls.add("class " + trafficClass);
  }

  @Override
  void setHopLimit(int hopLimit) {
    calls.add("hops " + hopLimit);
  }

  @Override
  void closeUnderneath() throws IOException {
    calls.add("closed");
  }
}
