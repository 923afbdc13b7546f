package org.roce4j.port.netty;

import org.roce4j.emulator.cm.ConnectionRowsContract;
import org.roce4j.port.PortProvider;

class NettyConnectionRowsTest extends ConnectionRowsContract {
  @Override
  protected PortProvider provider() {
    return new NettyPortProvider();
  }
}
