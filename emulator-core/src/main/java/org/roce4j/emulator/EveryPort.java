package org.roce4j.emulator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.device.PortControl;
import org.roce4j.port.PortSwitch;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.PortState;

/**
 * The control of the ports of all engines of a device: each port has every address, and the port of
 * the first engine receives groups.
 */
record EveryPort(List<PortSwitch> ports, PortStates states) implements PortControl {
  @Override
  public void join(Gid group, Gid own) {
    ports.getFirst().join(group, own);
  }

  @Override
  public void leave(Gid group, Gid own) {
    ports.getFirst().leave(group, own);
  }

  @Override
  public void add(Gid address) {
    int done = 0;
    try {
      while (done < ports.size()) {
        ports.get(done).add(address);
        done++;
      }
    } catch (RuntimeException | Error e) {
      ports.subList(0, done).forEach(each -> each.remove(address));
      throw e;
    }
  }

  @Override
  public void remove(Gid address) {
    ports.forEach(each -> each.remove(address));
  }

  @Override
  public PortState state(int portNum) {
    return states.state(portNum);
  }

  @Override
  public Map<String, Long> counters() {
    Map<String, Long> sum = new LinkedHashMap<>();
    for (PortSwitch each : ports) {
      each.counters().snapshot().forEach((label, value) -> sum.merge(label, value, Long::sum));
    }
    return sum;
  }
}
