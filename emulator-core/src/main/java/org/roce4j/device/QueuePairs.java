package org.roce4j.device;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.verbs.Gid;

/** The queue pairs of a device as numbers and words; read without stopping the device. */
public final class QueuePairs {
  private QueuePairs() {}

  /** Makes what is told of a queue pair; the statistics' record says what each number means. */
  public interface Reader<T> {
    T read(
        int number,
        String service,
        String state,
        String peer,
        long sends,
        int sendsOutstanding,
        long receives,
        int receivesPosted,
        boolean sharedReceives,
        long rnrNaks);
  }

  /** Those of a device; any thread. */
  public static <T> List<T> of(Device device, Reader<T> reader) {
    List<T> all = new ArrayList<>();
    for (int i = 0; i < device.engineCount(); i++) {
      for (QpMachine qp : device.engine(i).queuePairs().slots()) {
        if (qp != null) {
          all.add(read(qp, reader));
        }
      }
    }
    return all;
  }

  private static <T> T read(QpMachine qp, Reader<T> reader) {
    ReceiveQueue receives = qp.receiveQueue();
    return reader.read(
        qp.qpNum(),
        qp.type().name(),
        qp.state().name(),
        peer(qp),
        qp.sendsDone(),
        qp.sendsOutstanding(),
        receives.head(),
        receives.size(),
        qp.sharesReceives(),
        qp.rnrNaks());
  }

  private static String peer(QpMachine qp) {
    Path path = qp.peer().path();
    return path == null
        ? ""
        : "0x%x at %s"
            .formatted(
                qp.peer().destQp(),
                new Gid(path.remoteHigh(), path.remoteLow()).toInetAddress().getHostAddress());
  }
}
