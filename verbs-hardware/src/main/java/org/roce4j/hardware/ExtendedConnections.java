package org.roce4j.hardware;

import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Supplier;
import org.roce4j.hardware.bindings.Descriptors;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.hardware.bindings.XrcStructures;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.verbs.text.Wording;

/** Creates the objects of extended reliable connections in a context. */
final class ExtendedConnections {
  private static final int NO_FILE = -1;

  private final HardwareContext context;

  ExtendedConnections(HardwareContext context) {
    this.context = context;
  }

  XrcDomain openXrcd(XrcdInitAttr attr) {
    return context.verb(
        frame -> {
          Path file = attr.file();
          int fd = file == null ? NO_FILE : opened(frame, file);
          try {
            long xrcd =
                context
                    .extensions()
                    .openXrcd(frame, XrcStructures.domain(frame, fd, attr.oflags()));
            XrcStructures.checkDomain(xrcd, context.address());
            int handle = Math.toIntExact(context.nextNumber());
            return context.track(new HardwareXrcDomain(context, xrcd, handle));
          } finally {
            if (fd != NO_FILE) {
              Descriptors.close(fd); // the kernel keeps the inode
            }
          }
        });
  }

  private static int opened(Frame frame, Path file) {
    try {
      return Descriptors.openToRead(frame, file);
    } catch (VerbsException e) {
      if (e.errno() != Errno.ENOENT && e.errno() != Errno.ENOTDIR) {
        throw e;
      }
      throw new VerbsException(
          Errno.EBADF,
          Wording.of("there is no file %s to name the XRC domain: create it first", file),
          e);
    }
  }

  SharedReceiveQueue createSrq(SrqInitAttrEx attr) {
    HardwareProtectionDomain pd = pd(attr.pd());
    return switch (RequiredArgument.check(attr.srqType(), "srq_type")) {
      case BASIC -> pd.createSrq(attr.basic());
      case TM -> throw Errno.EOPNOTSUPP.refusal("tag matching is not bound");
      case XRC -> {
        HardwareXrcDomain xrcd = xrcd(attr.xrcd());
        HardwareCompletionQueue cq = cq(attr.cq());
        Supplier<SharedReceiveQueue> create = () -> createSrq(attr, pd, xrcd, cq);
        yield pd.inside(() -> xrcd.inside(() -> cq.inside(create)));
      }
    };
  }

  private SharedReceiveQueue createSrq(
      SrqInitAttrEx attr,
      HardwareProtectionDomain pd,
      HardwareXrcDomain xrcd,
      HardwareCompletionQueue cq) {
    return make(
        frame -> {
          long srq =
              context
                  .extensions()
                  .createSrq(
                      frame,
                      XrcStructures.sharedReceiveQueue(
                          frame, attr, pd.address, xrcd.address, cq.address));
          ObjectStructures.checkSrq(srq, context.address(), pd.address);
          int number = number(frame, srq);
          return new HardwareSharedReceiveQueue(
              pd, srq, attr.userContext(), new HardwareSharedReceiveQueue.Xrc(number, xrcd, cq));
        });
  }

  /** The number of a new queue, which is destroyed if it has none. */
  private int number(Frame frame, long srq) {
    try {
      return context.extensions().srqNum(frame, srq);
    } catch (VerbsException e) {
      context.library().destroySrq(frame, srq);
      throw e;
    }
  }

  QueuePair createQp(QpInitAttr attr) {
    if (attr.qpType() != QpType.XRC_RECV) {
      return pd(attr.pd()).createQp(attr);
    }
    HardwareXrcDomain xrcd = xrcd(attr.xrcd());
    if (attr.srq() != null) {
      throw Errno.EINVAL.refusal(
          "an XRC_RECV queue pair has no srq: each message names one of its domain");
    }
    return target(
        xrcd,
        attr.userContext(),
        frame -> context.extensions().createQp(frame, XrcStructures.target(frame, xrcd.address)));
  }

  QueuePair openQp(QpOpenAttr attr) {
    HardwareXrcDomain xrcd = xrcd(attr.xrcd());
    if (attr.qpType() != QpType.XRC_RECV) {
      throw new VerbsException(
          Errno.EINVAL, "only an XRC_RECV queue pair can be opened, not " + attr.qpType());
    }
    return target(
        xrcd,
        attr.userContext(),
        frame ->
            context.extensions().openQp(frame, XrcStructures.opening(frame, attr, xrcd.address)));
  }

  private QueuePair target(
      HardwareXrcDomain xrcd, Object userContext, Function<Frame, Long> maker) {
    return xrcd.inside(
        () ->
            make(
                frame -> HardwareQueuePair.target(context, maker.apply(frame), xrcd, userContext)));
  }

  private <T extends HardwareObject> T make(Function<Frame, T> maker) {
    return context.verb(frame -> context.track(maker.apply(frame)));
  }

  private HardwareProtectionDomain pd(ProtectionDomain named) {
    return own(HardwareProtectionDomain.class, named, "pd");
  }

  private HardwareXrcDomain xrcd(XrcDomain named) {
    return own(HardwareXrcDomain.class, named, "xrcd");
  }

  private HardwareCompletionQueue cq(CompletionQueue named) {
    return own(HardwareCompletionQueue.class, named, "cq");
  }

  private <T extends HardwareObject> T own(Class<T> type, Object named, String name) {
    if (type.isInstance(named) && type.cast(named).context == context) {
      return type.cast(named);
    }
    throw RequiredArgument.foreign(named, name);
  }
}
