package org.roce4j.emulator.cm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.roce4j.device.CmDevice;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.ProviderChannel;
import org.roce4j.verbs.cm.ProviderId;
import org.roce4j.verbs.cm.ProviderReport;

/**
 * The reports of ids, in order. Ids of one channel may belong to several devices, whose engines add
 * reports. A waiting thread drives the first open device and is woken by the others.
 */
public final class EmulatedCmChannel implements ProviderChannel {
  /** A longer wait has no limit, so that its deadline does not overflow. */
  private static final long FOR_EVER_NS = Deadlines.NEVER / 2;

  private final List<CmDevice> devices;
  private final ArrayDeque<ProviderReport> reports = new ArrayDeque<>();
  private volatile Runnable hook;
  private volatile boolean closed;

  private EmulatedCmChannel(List<CmDevice> devices) {
    this.devices = devices;
  }

  /**
   * A channel over opened devices.
   *
   * @throws VerbsException EINVAL for a context that is closed or of another backend
   */
  public static EmulatedCmChannel open(List<Context> contexts) {
    contexts.forEach(Context::queryDevice); // refuses a closed context
    EmulatedCmChannel channel = new EmulatedCmChannel(contexts.stream().map(CmDevice::of).toList());
    channel.home().remember(channel);
    return channel;
  }

  /** The device that reports the channel, and ids that are not bound yet, as open objects. */
  CmDevice home() {
    return devices.getFirst();
  }

  /**
   * The devices that are open.
   *
   * @throws VerbsException ENODEV if there is none
   */
  List<CmDevice> devices() {
    return CmDevice.open(devices);
  }

  @Override
  public ProviderId createId(PortSpace ps, QpType qpType) {
    requireOpen();
    EmulatedCmId id = new EmulatedCmId(this, home(), ps, qpType);
    id.isGiven();
    return id;
  }

  private void requireOpen() {
    if (closed) {
      throw Errno.EINVAL.refusal("the event channel was closed");
    }
  }

  /** Adds a report of an id. For the owner of engine {@code by}. */
  void report(CmDevice by, ProviderReport report) {
    boolean first;
    synchronized (reports) {
      first = reports.isEmpty();
      reports.add(report);
    }
    by.signal(first ? hook : null);
    devices.stream()
        .filter(CmDevice::isOpen)
        .findFirst()
        .filter(waitedFor -> !waitedFor.isSame(by))
        .ifPresent(waitedFor -> by.signal(() -> wake(waitedFor)));
  }

  /** Makes waiting threads check again; a closed device has none. */
  private static void wake(CmDevice waitedFor) {
    EmulatedCmId.quietly(
        () ->
            waitedFor.exclusively(
                () -> {
                  waitedFor.signal(null);
                  return null;
                }));
  }

  @Override
  public ProviderReport take(long timeoutNs) {
    long limitNs = timeoutNs < FOR_EVER_NS ? timeoutNs : Deadlines.NEVER;
    long start = !Deadlines.isSet(limitNs) || limitNs == 0 ? 0 : nowNs();
    long left = limitNs;
    while (true) {
      ProviderReport report = poll();
      if (report != null) {
        return report;
      }
      requireOpen();
      if (limitNs == 0 && devices.stream().noneMatch(CmDevice::isOpen)) {
        return null;
      }
      CmDevice first = devices().getFirst();
      if (!first.progress().await(() -> readyOrClosed() || !first.isOpen(), left)) {
        return poll();
      }
      if (Deadlines.isSet(limitNs) && limitNs != 0) {
        left = Math.max(0, limitNs - (nowNs() - start));
      }
    }
  }

  @Override
  public long nowNs() {
    return devices.getFirst().nowNs();
  }

  private boolean readyOrClosed() {
    synchronized (reports) {
      return closed || !reports.isEmpty();
    }
  }

  private ProviderReport poll() {
    ProviderReport report;
    synchronized (reports) {
      report = reports.poll();
    }
    if (report != null && report.listener() != null) {
      ((EmulatedCmId) report.listener()).requestTaken();
      ((EmulatedCmId) report.id()).isGiven();
    }
    return report;
  }

  /** Moves an id and its reports of one device, whose engine makes no reports meanwhile. */
  void move(EmulatedCmId id, EmulatedCmChannel to, CmDevice by) {
    by.exclusively(
        () -> {
          id.channel(to);
          for (ProviderReport report : withdraw(id)) {
            ((EmulatedCmId) report.id()).channel(to);
            to.report(by, report);
          }
          return null;
        });
  }

  /**
   * Removes and returns the reports of an id, in order. For connection requests that the program
   * did not take, this includes the reports of their ids.
   */
  List<ProviderReport> withdraw(ProviderId id) {
    synchronized (reports) {
      Set<ProviderId> own = new HashSet<>(Set.of(id));
      reports.stream().filter(each -> each.listener() == id).forEach(each -> own.add(each.id()));
      return withdraw(report -> own.contains(report.id()));
    }
  }

  /** Removes and returns the reports that {@code which} selects, in order. */
  List<ProviderReport> withdraw(Predicate<ProviderReport> which) {
    List<ProviderReport> taken = new ArrayList<>();
    synchronized (reports) {
      reports.stream().filter(which).forEach(taken::add);
      reports.removeAll(taken);
    }
    return taken;
  }

  @Override
  public void onEvent(Runnable hook) {
    if (hook != null) {
      requireOpen();
    }
    this.hook = hook;
    if (hook != null && readyOrClosed()) {
      Callback.run(hook);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      hook = null;
      home().forget(this);
      devices.forEach(EmulatedCmChannel::wake);
    }
  }

  @Override
  public String toString() {
    return "event channel of connection manager of "
        + devices.stream().map(each -> each.context().device().name()).toList();
  }
}
