package org.roce4j.device;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.device.WaitingThreads.Waiting;
import org.roce4j.engine.Engine;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.text.Wording;

/**
 * What the queue pairs of a device and the threads in its verbs wait for, in words. It is read
 * without owning the engines, because the thread that runs an engine may be the one that hangs. So
 * it may be inconsistent, which is acceptable in messages.
 */
public final class Situation {
  private Situation() {}

  /**
   * A clause for each queue pair and each waiting thread of the device. Any thread may call this;
   * it takes no lock.
   */
  public static List<String> of(Device device) {
    List<String> clauses = new ArrayList<>(queuePairs(device));
    clauses.addAll(threads(device));
    return clauses;
  }

  /** A clause for each queue pair with outstanding requests. */
  private static List<String> queuePairs(Device device) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < device.engineCount(); i++) {
      Engine engine = device.engine(i);
      for (QpMachine qp : engine.queuePairs().slots()) {
        String clause = qp == null ? null : of(device, qp);
        if (clause != null) {
          all.add(clause);
        }
      }
    }
    return all;
  }

  /** A clause for each thread that waits in a verb of this device. */
  private static List<String> threads(Device device) {
    return WaitingThreads.now().stream()
        .filter(waiting -> isOf(waiting.object(), device))
        .map(Situation::of)
        .toList();
  }

  private static boolean isOf(Object object, Device device) {
    return object instanceof EmulatedObject own
        ? own.device == device
        : object instanceof EmulatedContext context && context.isOn(device);
  }

  private static String of(Waiting waiting) {
    if (waiting.verb().equals("close")) {
      return waiting + ", which has an event that is not acknowledged (ackEvents, AsyncEvent.ack)";
    }
    String silence =
        waiting.object() instanceof EmulatedCompletionChannel channel ? channel.silence() : null;
    return silence == null ? waiting.toString() : waiting + ": " + silence;
  }

  private static String of(Device device, QpMachine qp) {
    long naks = qp.inFlight().rnrNaks();
    int sends = qp.sendsOutstanding();
    if (naks > 0) {
      return Wording.of(
          "%s has no receive posted; %,d RNR NAKs went to %s",
          peer(device, qp), naks, name(device, qp));
    }
    if (sends > 0 && qp.state() == QpState.SQD) {
      return Wording.of("%s starts none of its %d sends before RTS", name(device, qp), sends);
    }
    return sends > 0
        ? Wording.of(
            "%s has %d sends under way, the oldest to %s",
            name(device, qp), sends, peer(device, qp))
        : null;
  }

  private static String name(Device device, QpMachine qp) {
    return Wording.of(
        "QP 0x%x %s %s on %s", qp.qpNum(), qp.type(), qp.state(), device.identity().name());
  }

  private static String peer(Device device, QpMachine qp) {
    Path path = qp.peer().path();
    if (path == null) {
      return "its peer";
    }
    Gid address = new Gid(path.remoteHigh(), path.remoteLow());
    Device there = device.neighbour(address);
    int number = qp.peer().destQp();
    QpMachine other = there == null ? null : there.engineOf(number).queuePairs().find(number);
    return other != null
        ? name(there, other)
        : Wording.of("QP 0x%x at %s", number, address.addressText());
  }
}
