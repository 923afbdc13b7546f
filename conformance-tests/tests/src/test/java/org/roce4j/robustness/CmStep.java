package org.roce4j.robustness;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.SidrStatus;

/**
 * A step of a {@link CmActor}: its weight, and the errnos that it may throw besides EINVAL, which
 * any call may throw if another thread was faster.
 */
enum CmStep {
  OPEN_MANAGER(4, CmActor::openManager),
  CLOSE_MANAGER(1, CmActor::closeManager),
  CREATE_CHANNEL(6, CmActor::createChannel),
  CLOSE_CHANNEL(2, CmActor::closeChannel, Errno.EBUSY),
  CREATE_ID(12, CmActor::createId),
  CREATE_SYNCHRONOUS_ID(6, CmActor::createSynchronousId),
  CREATE_ENDPOINT(6, CmActor::createEndpoint, Waits.FOR_EVENTS),
  ACKNOWLEDGE(6, CmActor::acknowledge),
  INTERRUPT(2, CmActor::interrupt),
  TAKE_EVENT(40, CmActor::takeEvent, Waits.FOR_EVENTS),
  LISTEN_AT(8, CmActor::listenAt, Errno.EADDRINUSE, Errno.EADDRNOTAVAIL),
  BIND(4, (me, id) -> id.bindAddr(me.place()), Errno.EADDRINUSE, Errno.EADDRNOTAVAIL),
  RESOLVE_ADDR(10, (me, id) -> id.resolveAddr(null, me.place(), 2000), Waits.FOR_EVENTS),
  RESOLVE_ROUTE(10, (me, id) -> id.resolveRoute(2000), Waits.FOR_EVENTS),
  CREATE_QP(10, CmActor::createQp),
  DESTROY_QP(1, (me, id) -> id.destroyQp()),
  CREATE_SRQ(2, (me, id) -> id.createSrq(null, new SrqInitAttr(4, 1))),
  DESTROY_SRQ(1, (me, id) -> id.destroySrq(), Errno.EBUSY),
  LISTEN(2, (me, id) -> id.listen(2), Errno.EADDRINUSE, Errno.EADDRNOTAVAIL),
  CONNECT(14, CmActor::connect, Waits.FOR_EVENTS),
  ACCEPT(8, CmActor::accept, Waits.FOR_EVENTS),
  REJECT(2, (me, id) -> id.reject(new byte[3])),
  ESTABLISH(2, (me, id) -> id.establish()),
  DISCONNECT(4, (me, id) -> id.disconnect(), Waits.FOR_EVENTS),
  NOTIFY(1, (me, id) -> id.notify(EventType.COMM_EST), Errno.EISCONN),
  GET_REQUEST(4, CmActor::getRequest, Waits.FOR_EVENTS),
  JOIN(3, CmActor::join, Waits.FOR_EVENTS),
  LEAVE(1, (me, id) -> id.leaveMulticast(CmActor.GROUP), Errno.EADDRNOTAVAIL),
  MIGRATE(4, CmActor::migrate, Errno.EDEADLK, Errno.EINTR),
  OPTION(2, CmActor::option, Errno.ENOSYS),
  ATTRIBUTES(2, (me, id) -> id.initQpAttr(QpState.RTR)),
  POST(4, CmActor::post, Errno.ENOMEM),
  AWAIT_COMPLETION(2, CmActor::awaitCompletion, Waits.FOR_EVENTS),
  CLOSE_ID(6, (me, id) -> id.close(), Errno.EDEADLK, Errno.EINTR),
  LOOK(4, CmActor::look);

  private static final int ALL = List.of(values()).stream().mapToInt(each -> each.weight).sum();

  private final int weight;
  private final Body body;
  private final boolean needsId;
  private final Set<Errno> mayThrow = EnumSet.of(Errno.EINVAL);

  /**
   * The errnos of waiting calls: their own, and those caused by another thread's call on the same
   * id.
   */
  private static final class Waits {
    /** The first two are the numbers of {@link SidrStatus} for no such service and refused. */
    static final Errno[] FOR_EVENTS = {
      Errno.EPERM,
      Errno.ENOENT,
      Errno.EINTR,
      Errno.ETIMEDOUT,
      Errno.ECONNREFUSED,
      Errno.ECONNRESET,
      Errno.EHOSTUNREACH,
      Errno.EADDRINUSE,
      Errno.EADDRNOTAVAIL
    };
  }

  private interface Body {
    void run(CmActor me, CmId id);
  }

  CmStep(int weight, Consumer<CmActor> body, Errno... mayThrow) {
    this(weight, false, (me, id) -> body.accept(me), mayThrow);
  }

  CmStep(int weight, Body body, Errno... mayThrow) {
    this(weight, true, body, mayThrow);
  }

  CmStep(int weight, boolean needsId, Body body, Errno... mayThrow) {
    this.weight = weight;
    this.needsId = needsId;
    this.body = body;
    this.mayThrow.addAll(List.of(mayThrow));
  }

  static CmStep any(SplittableRandom random) {
    int left = random.nextInt(ALL);
    for (CmStep each : values()) {
      left -= each.weight;
      if (left < 0) {
        return each;
      }
    }
    throw new AssertionError(left);
  }

  boolean needsId() {
    return needsId;
  }

  boolean mayThrow(Errno errno) {
    return mayThrow.contains(errno);
  }

  /** Executes the step on an id, which may be null if the step needs none. */
  void run(CmActor me, CmId id) {
    body.run(me, id);
  }
}
