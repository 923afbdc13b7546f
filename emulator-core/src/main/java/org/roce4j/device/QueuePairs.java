package org.roce4j.device;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.requester.InFlight;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.text.Wording;

/** Reads the state of a device's queue pairs without stopping the device. */
public final class QueuePairs {
  private QueuePairs() {}

  /**
   * Creates a record of a queue pair's state; the record of the statistics explains each component.
   */
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

  /** The records of all queue pairs of a device. Any thread may call this. */
  public static <T> List<T> of(Device device, Reader<T> reader) {
    return machines(device).stream().map(qp -> read(qp, reader)).toList();
  }

  /** Creates a record of a queue pair's packets; the record explains each component. */
  public interface WindowReader<T> {
    T read(
        int number,
        int oldestPsn,
        int sendPsn,
        int nextPsn,
        int expectedPsn,
        int retriesLeft,
        int rnrRetriesLeft,
        long ackDueNs,
        long rnrDueNs);
  }

  /** The records of the packets of a device's queue pairs. Any thread may call this. */
  public static <T> List<T> windows(Device device, WindowReader<T> reader) {
    return machines(device).stream().map(qp -> read(qp, reader)).toList();
  }

  private static <T> T read(QpMachine qp, WindowReader<T> reader) {
    InFlight sent = qp.inFlight();
    return reader.read(
        qp.qpNum(),
        sent.oldestPsn(),
        sent.sendPsn(),
        sent.nextPsn(),
        qp.query().rqPsn(),
        sent.retriesLeft(),
        sent.rnrRetriesLeft(),
        sent.ackDueNs(),
        sent.rnrDueNs());
  }

  private static List<QpMachine> machines(Device device) {
    return IntStream.range(0, device.engineCount())
        .boxed()
        .flatMap(i -> Stream.of(device.engine(i).queuePairs().slots()))
        .filter(Objects::nonNull)
        .toList();
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
        qp.inFlight().rnrNaks());
  }

  private static String peer(QpMachine qp) {
    Path path = qp.peer().path();
    return path == null
        ? ""
        : Wording.of(
            "0x%x at %s",
            qp.peer().destQp(), new Gid(path.remoteHigh(), path.remoteLow()).addressText());
  }
}
