package org.roce4j.device;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/** An engine without a driver: verbs run at once, and the test plays network and clock. */
public final class LoneEngine {
  public final Engine engine;
  public final ProtectionDomain pd;

  public LoneEngine(Gid gid, Mtu mtu) {
    this(gid, mtu, DeviceLimits.DEFAULT);
  }

  public LoneEngine(Gid gid, Mtu mtu, DeviceLimits limits) {
    this(gid, mtu, limits, EngineTrace.NONE);
  }

  LoneEngine(Gid gid, Mtu mtu, DeviceLimits limits, EngineTrace trace) {
    Device device = device(gid, mtu, limits, trace);
    device.attach(PortControl.NONE, Progress.NONE);
    engine = device.engine(0);
    pd = EmulatedContext.open(device, () -> {}).allocPd();
  }

  /** Sends all that is due; returns the number of packets. The last train is empty. */
  int packetsSent(long nowNs, Transmit train) {
    int packets = 0;
    for (int more = 1; more > 0; packets += more) {
      more = engine.pollTransmit(nowNs, train);
    }
    return packets;
  }

  /** A queue pair with four requests of one element a queue, and a completion queue of its own. */
  QueuePair qp(QpType service) {
    return pd.createQp(init(service, pd.context().createCq(8)));
  }

  /** Attributes of such a queue pair, with a completion queue of the test. */
  static QpInitAttr init(QpType service, CompletionQueue cq) {
    return new QpInitAttr().qpType(service).cq(cq).cap(new QpCapabilities(4, 4, 1, 1, 0));
  }

  /** A device that is not attached to anything yet. */
  static Device device(Gid gid, Mtu mtu, DeviceLimits limits) {
    return device(gid, mtu, limits, EngineTrace.NONE);
  }

  private static Device device(Gid gid, Mtu mtu, DeviceLimits limits, EngineTrace trace) {
    return new Device(
        Emulator.device(DeviceOptions.of("lone", gid)),
        limits,
        new GidTable(List.of(gid), 0),
        mtu,
        new SplittableRandom(1),
        trace);
  }

  /** A device of several engines. */
  static Device ofEngines(int engines, Gid... addresses) {
    return of(engines, new GidTable(List.of(addresses), 0));
  }

  /** A device of several ports with an address each. */
  static Device ofPorts(Gid... addresses) {
    return of(1, new GidTable(0, Stream.of(addresses).map(List::of).toList()));
  }

  private static Device of(int engines, GidTable table) {
    return new Device(
        Emulator.device(DeviceOptions.of("lone", table.addresses().getFirst())),
        DeviceLimits.DEFAULT,
        table,
        Mtu.MTU_1024,
        new SplittableRandom(1),
        EngineTrace.NONE,
        engines);
  }
}
