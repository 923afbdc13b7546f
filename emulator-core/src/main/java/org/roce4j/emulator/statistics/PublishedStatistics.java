package org.roce4j.emulator.statistics;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Publishes a device as {@code org.roce4j:type=Device,...} if the system property {@code
 * roce4j.stats=on} or the environment variable {@code ROCE4J_STATS=on} requests it. It is not the
 * default, because the platform's bean server takes time to start.
 */
public final class PublishedStatistics implements AutoCloseable {
  /** The domain and type of every device. */
  public static final String PATTERN = "org.roce4j:type=Device,*";

  /**
   * The property that requests it; set to {@code on} in each process that has published a device.
   */
  public static final String PROPERTY = "roce4j.stats";

  /** The value of {@link #PROPERTY}. */
  public static final String ON = "on";

  private final ObjectName name;

  private PublishedStatistics(ObjectName name) {
    this.name = name;
  }

  /** Publishes a device if requested. */
  public static Optional<PublishedStatistics> publish(
      String device,
      List<String> addresses,
      Supplier<Map<String, Long>> counters,
      Supplier<List<QueuePairStatistics>> queuePairs) {
    if (!isWanted()) {
      return Optional.empty();
    }
    try {
      ObjectName name =
          new ObjectName(
              "org.roce4j:type=Device,name="
                  + ObjectName.quote(device)
                  + ",address="
                  + ObjectName.quote(addresses.getFirst()));
      ManagementFactory.getPlatformMBeanServer()
          .registerMBean(new Statistics(device, addresses, counters, queuePairs), name);
      System.setProperty(PROPERTY, ON); // other processes see properties, not the environment
      return Optional.of(new PublishedStatistics(name));
    } catch (InstanceAlreadyExistsException e) {
      return Optional.empty(); // A device with the same name is published already.
    } catch (JMException e) {
      throw new IllegalStateException("the statistics of " + device + " are refused", e);
    }
  }

  private static boolean isWanted() {
    return ON.equals(System.getProperty(PROPERTY, System.getenv("ROCE4J_STATS")));
  }

  /** Withdraws the device; idempotent. */
  @Override
  public void close() {
    try {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    } catch (JMException e) {
      // The device is withdrawn already.
    }
  }

  private record Statistics(
      String device,
      List<String> addresses,
      Supplier<Map<String, Long>> counters,
      Supplier<List<QueuePairStatistics>> queuePairs)
      implements DeviceStatisticsMXBean {
    @Override
    public String getDevice() {
      return device;
    }

    @Override
    public List<String> getAddresses() {
      return addresses;
    }

    @Override
    public Map<String, Long> getCounters() {
      return counters.get();
    }

    @Override
    public List<QueuePairStatistics> getQueuePairs() {
      return queuePairs.get();
    }
  }
}
