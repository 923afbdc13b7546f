package org.roce4j.port.linux;

import org.roce4j.port.PortContract;
import org.roce4j.port.PortProvider;

class LinuxPortTest extends PortContract {
  @Override
  protected PortProvider provider() {
    return new LinuxPortProvider();
  }
}
