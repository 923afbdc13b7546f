package org.roce4j.tools.stats;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.roce4j.emulator.statistics.DeviceStatisticsMXBean;
import org.roce4j.emulator.statistics.PublishedStatistics;
import org.roce4j.emulator.statistics.QueuePairStatistics;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.text.Wording;

/** Another Java process of the same user, queried over JMX on this machine. */
public final class AttachedProcess implements AutoCloseable {
  private final long pid;
  private final JMXConnector connector;
  private final MBeanServerConnection server;

  private AttachedProcess(long pid, JMXConnector connector) throws IOException {
    this.pid = pid;
    this.connector = connector;
    server = connector.getMBeanServerConnection();
  }

  /**
   * The answers of a device.
   *
   * @param addresses it is bound to
   */
  public record DeviceStatistics(
      String device,
      List<String> addresses,
      Map<String, Long> counters,
      List<QueuePairStatistics> queuePairs) {}

  /** Whether a process publishes devices; false also if it cannot be queried. */
  public static boolean publishes(long pid) {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        return PublishedStatistics.ON.equals(
            machine.getSystemProperties().getProperty(PublishedStatistics.PROPERTY));
      } finally {
        machine.detach();
      }
    } catch (IOException | AttachNotSupportedException e) {
      return false;
    }
  }

  /** Attaches to a process, which must allow it. */
  @SuppressWarnings("BanJNDI") // the address comes from a process of our own user, on this machine
  public static AttachedProcess attach(long pid) {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        JMXServiceURL url = new JMXServiceURL(machine.startLocalManagementAgent());
        return new AttachedProcess(pid, JMXConnectorFactory.connect(url));
      } finally {
        machine.detach();
      }
    } catch (IOException | AttachNotSupportedException e) {
      throw ToolFailure.atRunTime(
          Wording.of("cannot ask process %d: %s; is it Java, and ours?", pid, e.getMessage()), e);
    }
  }

  /**
   * Its devices, by name.
   *
   * @throws ToolFailure if it has none or has ended
   */
  public List<DeviceStatistics> devices() {
    List<DeviceStatistics> found = new ArrayList<>();
    try {
      for (ObjectName name : server.queryNames(new ObjectName(PublishedStatistics.PATTERN), null)) {
        DeviceStatisticsMXBean device =
            JMX.newMXBeanProxy(server, name, DeviceStatisticsMXBean.class);
        found.add(
            new DeviceStatistics(
                device.getDevice(),
                device.getAddresses(),
                new TreeMap<>(device.getCounters()),
                device.getQueuePairs()));
      }
    } catch (IOException | JMException | RuntimeException e) {
      throw ToolFailure.atRunTime(Wording.of("process %d ended or cannot be asked", pid), e);
    }
    if (found.isEmpty()) {
      throw ToolFailure.atRunTime(
          "process %d publishes no open device; start it with ROCE4J_STATS=on or"
              + " -Droce4j.stats=on",
          pid);
    }
    found.sort(Comparator.comparing(DeviceStatistics::device));
    return found;
  }

  /** The process's number. */
  public long pid() {
    return pid;
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      // The other process has closed it.
    }
  }
}
