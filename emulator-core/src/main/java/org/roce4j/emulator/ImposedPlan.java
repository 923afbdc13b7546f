package org.roce4j.emulator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.roce4j.fabric.Fabric;
import org.roce4j.faulty.FaultyDevice;
import org.roce4j.faulty.VerbsFaults;
import org.roce4j.faulty.VerbsLog;
import org.roce4j.options.Quantity;
import org.roce4j.port.Port;
import org.roce4j.port.fault.FaultLog;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * A plan of faults that is imposed on a program from outside, by the system property {@code
 * roce4j.plan} or the environment variable {@code ROCE4J_PLAN}, however the program creates its
 * devices. It applies to one device: on each virtual network to the first device; on sockets to the
 * first device that the process opens and, once that is closed, to the next one. It applies before
 * the device's own faults.
 *
 * <p>If {@code roce4j.plan-log} or {@code ROCE4J_PLAN_LOG} names an existing directory, a report of
 * the plan's hits is written into it, one file for each process, whenever such a device or network
 * closes and when the process ends. Thread-safe.
 */
final class ImposedPlan {
  private static final String PLAN = "plan";
  private static final String LOG = "plan-log";

  /** The owner of the device on sockets to which the plan applies; null: none is open. */
  private static Object sufferer;

  /** The reports of closed devices, by directory: there is one unless the property changes. */
  private static final Map<Path, FaultReport> PAST = new HashMap<>();

  /** The plans of open devices whose report is requested. */
  private static final Set<ImposedPlan> OPEN = new LinkedHashSet<>();

  private static boolean hooked;

  private final Faults plan;
  private final List<FaultLog> logs = new ArrayList<>();
  private final VerbsLog verbsLog = new VerbsLog();

  /** Null before the first context is opened. */
  private UnaryOperator<Context> contexts;

  /** Null if no report is wanted. */
  private final Path directory;

  private ImposedPlan(Faults plan, Path directory) {
    this.plan = plan;
    this.directory = directory;
  }

  /** The plan for a device on sockets; empty if there is none or it applies to another device. */
  static synchronized Optional<ImposedPlan> atSocket(Object device) {
    if (sufferer != null) {
      return Optional.empty();
    }
    Optional<ImposedPlan> plan = read();
    plan.ifPresent(imposed -> sufferer = device);
    return plan;
  }

  /** The plan at the first device of a virtual network. */
  static synchronized Optional<ImposedPlan> atFabric(Fabric fabric, Collection<Gid> ends) {
    Optional<ImposedPlan> plan = read();
    plan.ifPresent(imposed -> fabric.impose(imposed.packets(), ends, imposed.log()));
    return plan;
  }

  /** The port of the device to which the plan applies. */
  Port around(Port port) {
    return new FaultPort(port, packets(), log());
  }

  /** At this device, the faults include those of the links for the datagrams that it sends. */
  private FaultPlan packets() {
    return plan.ofPort(0);
  }

  /**
   * The context of the device to which the plan applies.
   *
   * @param clock the device's clock in nanoseconds
   */
  synchronized Context around(Context context, LongSupplier clock) {
    if (plan.verbs().isEmpty()) {
      return context;
    }
    if (contexts == null) {
      contexts = FaultyDevice.contexts(new VerbsFaults(plan.seed(), plan.verbs()), clock, verbsLog);
    }
    return contexts.apply(context);
  }

  private FaultLog log() {
    FaultLog log = new FaultLog();
    logs.add(log);
    return log;
  }

  private static Optional<ImposedPlan> read() {
    String text = said(PLAN);
    String directory = said(LOG);
    if (text.isEmpty() && directory.isEmpty()) {
      return Optional.empty();
    }
    ImposedPlan plan =
        new ImposedPlan(parsed(text), directory.isEmpty() ? null : Path.of(directory));
    if (plan.directory != null) {
      OPEN.add(plan);
      PAST.keySet().removeIf(past -> !past.equals(plan.directory));
      if (!hooked) {
        hooked = true;
        Runtime.getRuntime().addShutdownHook(new Thread(ImposedPlan::writeAll));
      }
    }
    return Optional.of(plan);
  }

  private static Faults parsed(String text) {
    try {
      return Faults.parse(text);
    } catch (VerbsException e) {
      throw Quantity.refuse("ROCE4J_PLAN=%s: %s", text, e.remedy());
    }
  }

  private static String said(String key) {
    String variable = "ROCE4J_" + key.toUpperCase(Locale.ROOT).replace('-', '_');
    String property = System.getProperty(Configuration.PROPERTY_PREFIX + key);
    String value = property != null ? property : System.getenv(variable);
    return value == null ? "" : value.strip();
  }

  /** The device or network is closed, so the plan may apply to another one. Idempotent. */
  static synchronized void closed(Object device, Optional<ImposedPlan> plan) {
    if (sufferer == device) {
      sufferer = null;
    }
    plan.filter(OPEN::remove)
        .ifPresent(
            imposed -> {
              PAST.merge(imposed.directory, imposed.report(), FaultReport::and);
              write(imposed.directory, PAST.get(imposed.directory));
            });
  }

  private FaultReport report() {
    FaultReport verbs = new FaultReport(Map.of(), List.of(), verbsLog.counts());
    return logs.stream().map(FaultLog::report).reduce(verbs, FaultReport::and);
  }

  private static synchronized void writeAll() {
    OPEN.forEach(plan -> PAST.merge(plan.directory, plan.report(), FaultReport::and));
    PAST.forEach(ImposedPlan::write);
  }

  private static void write(Path directory, FaultReport report) {
    try {
      if (Files.isDirectory(directory)) {
        Path file = directory.resolve(ProcessHandle.current().pid() + ".txt");
        Files.writeString(file, report.toString());
      }
    } catch (IOException e) {
      System.err.println("roce4j: the log of ROCE4J_PLAN cannot be written: " + e);
    }
  }
}
