package org.roce4j.verbs;

/**
 * The usual way of a queue pair, RESET to INIT to RTR to RTS, with a value for every attribute that
 * the caller leaves out. A convenience: libibverbs leaves the three calls of {@code ibv_modify_qp}
 * to each program (InfiniBand 10.3.1, {@code man ibv_modify_qp}).
 *
 * <pre>{@code
 * QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(peer, 0), peerQpn).timeout(16));
 * }</pre>
 */
public final class QpBringUp {
  /** The Q_Key of datagram queue pairs unless another is given: that of {@code ibv_ud_pingpong}. */
  public static final int QKEY = 0x1111_1111;

  private static final int ALL_REMOTE =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

  private QpBringUp() {}

  /**
   * Attributes for queue pairs of every type; a setter changes one. Port 1, P_Key 0, every remote
   * right, both PSNs 0, one READ or atomic at a time in each direction, ACK timeout 14 (67 ms), 7
   * retries, RNR retries without end (7), RNR timer 12 (0.64 ms), Q_Key {@link #QKEY}. The path MTU
   * is the active one of the port unless it is set.
   */
  public static QpAttr attributes() {
    return new QpAttr()
        .portNum(1)
        .pkeyIndex(0)
        .qpAccessFlags(ALL_REMOTE)
        .qkey(QKEY)
        .rqPsn(0)
        .sqPsn(0)
        .maxRdAtomic(1)
        .maxDestRdAtomic(1)
        .timeout(14)
        .retryCnt(7)
        .rnrRetry(7)
        .minRnrTimer(12);
  }

  /**
   * {@link #attributes()} of a connection (RC, UC).
   *
   * @param path to the peer's port
   * @param peerQpn number of the peer's queue pair, 24 bits
   */
  public static QpAttr attributes(AhAttr path, int peerQpn) {
    return attributes().ahAttr(path).destQpNum(peerQpn);
  }

  /** {@link #to} RTS. */
  public static void toRts(QueuePair qp, QpAttr attr) {
    to(QpState.RTS, qp, attr);
  }

  /**
   * Takes a queue pair from RESET, INIT or RTR forward to a state, step by step; nothing happens if
   * it is in that state already.
   *
   * @param state INIT, RTR or RTS
   * @param attr each step takes what it needs from it; {@code qp_state} is overwritten
   * @throws VerbsException EINVAL if an attribute is missing or refused, or the queue pair is in
   *     another state; ENODEV if the device has failed
   */
  public static void to(QpState state, QueuePair qp, QpAttr attr) {
    RequiredArgument.check(attr, "attr");
    for (QpState at = RequiredArgument.check(qp, "qp").state(); at != state; ) {
      at = next(at, state);
      int mask = QpAttrMask.STATE | needed(qp.qpType(), at);
      boolean mtuMissing = (mask & ~attr.mask() & QpAttrMask.PATH_MTU) != 0;
      if (mtuMissing) {
        attr.pathMtu(qp.context().queryPort(attr.portNum()).activeMtu());
      }
      qp.modify(attr.qpState(at), mask);
    }
  }

  /** The next step; from any other state the device refuses the transition and says why. */
  private static QpState next(QpState at, QpState state) {
    return at.value() < state.value() ? QpState.of(at.value() + 1) : state;
  }

  /**
   * The attributes that the step from the state before must have, without {@link QpAttrMask#STATE}
   * ({@link QpTransitions#required}).
   *
   * @param to INIT, RTR or RTS; any other needs none
   */
  public static int needed(QpType type, QpState to) {
    return switch (to) {
      case INIT, RTR, RTS -> QpTransitions.required(type, QpState.of(to.value() - 1), to);
      default -> 0;
    };
  }
}
