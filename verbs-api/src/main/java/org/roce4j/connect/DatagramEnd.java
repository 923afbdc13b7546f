package org.roce4j.connect;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.text.Wording;

/**
 * An end that sends and receives datagrams (UD), with Q_Key {@link QpBringUp#QKEY}. A datagram is
 * one packet. If the network loses it, or the receiver has no receive posted, neither end is
 * notified. {@link Message#sender} is the address to answer.
 */
public final class DatagramEnd extends MessageEnd {
  private final Gid gid;
  private AddressHandle handle;
  private DatagramAddress destination;

  private DatagramEnd(Context context, ConnectionOptions options, Gid localGid) {
    super(
        context,
        false,
        QpType.UD,
        options,
        Math.min(options.messageBytes(), context.queryPort(options.portNum()).activeMtu().bytes()),
        GlobalRouteHeader.SIZE);
    gid = localGid;
  }

  /** Opens an end on a context that the caller keeps open. */
  public static DatagramEnd open(Context context) {
    return open(context, ConnectionOptions.DEFAULT);
  }

  /** As {@link #open(Context)}; the path MTU is not used. */
  public static DatagramEnd open(Context context, ConnectionOptions options) {
    RequiredArgument.check(context, "context");
    Gid gid = localGid(context, RequiredArgument.check(options, "options"));
    DatagramEnd end = new DatagramEnd(context, options, gid);
    boolean ready = false;
    try {
      QpBringUp.toRts(end.qp(), end.attributes());
      ready = true;
      return end;
    } finally {
      if (!ready) {
        end.close();
      }
    }
  }

  /** The address at which this end receives. */
  public DatagramAddress address() {
    return new DatagramAddress(gid, qp().qpNum());
  }

  /**
   * Sets the destination of the following sends, as in {@code
   * end.to(message.sender()).send("answer")}.
   *
   * @return this end
   */
  public DatagramEnd to(DatagramAddress wanted) {
    RequiredArgument.check(wanted, "wanted");
    outbox().turns().beginAtLast();
    try {
      if (!wanted.equals(destination)) {
        AhAttr path = AhAttr.roce(wanted.gid(), options().gidIndex());
        AddressHandle made = pd().createAh(path.onPort(options().portNum()));
        if (handle == null) {
          own(() -> handle.close());
        } else {
          handle.close();
        }
        handle = made;
        destination = wanted;
        failures().peer(wanted.toString());
      }
    } finally {
      outbox().turns().end();
    }
    return this;
  }

  @Override
  void address(SendRequestList request) {
    if (handle == null) {
      throw Errno.EDESTADDRREQ.refusal("there is no destination: call to(address) first");
    }
    request.ud(handle, destination.qpNum(), QpBringUp.QKEY);
  }

  @Override
  DatagramAddress sender(MemorySegment buffer, WorkCompletions completion) {
    return new DatagramAddress(GlobalRouteHeader.sgid(buffer, 0), completion.sourceQp(0));
  }

  @Override
  public String toString() {
    return Wording.of("datagrams of QP 0x%x of %s", qp().qpNum(), gid.addressText());
  }
}
