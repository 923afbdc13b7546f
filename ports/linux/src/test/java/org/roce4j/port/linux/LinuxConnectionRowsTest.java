package org.roce4j.port.linux;

import org.roce4j.emulator.cm.ConnectionRowsContract;
import org.roce4j.port.PortProvider;

class LinuxConnectionRowsTest extends ConnectionRowsContract {
  @Override
  protected PortProvider provider() {
    return new LinuxPortProvider();
  }
}
