package org.roce4j.conformance.remote;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;

/**
 * The attributes of a {@link Subject}, as numbers with names. Attributes that are not set have the
 * defaults of most dialogues. Immutable.
 */
public final class SubjectSetup {
  private static final int ALL_REMOTE =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

  /** An attribute, with its name in the agreement and its default. */
  public enum Attribute {
    /** {@code enum ibv_qp_type}: RC 2, UC 3, UD 4, XRC_SEND 9, XRC_RECV 10. */
    QP_TYPE(2),
    /** {@code enum ibv_mtu}: 1 is 256 bytes. */
    PATH_MTU(1),
    /** First PSN of the subject's requests. */
    SQ_PSN(0x111111),
    /** First PSN of its peer's requests. */
    RQ_PSN(0x222222),
    /** Number of the peer's queue pair. */
    DEST_QPN(0),
    /** Local ACK timeout code; 0 waits for ever. */
    TIMEOUT(0),
    /** Retries without an answer, 0..7. */
    RETRY_CNT(7),
    /** Retries after RNR NAKs, 0..7; 7 is without limit. */
    RNR_RETRY(7),
    /** RNR timer code for its RNR NAKs, 0..31; 12 is 0.64 ms. */
    MIN_RNR_TIMER(12),
    /** Most READs and atomics that it has outstanding. */
    MAX_RD_ATOMIC(4),
    /** Most READs and atomics that it accepts at a time. */
    MAX_DEST_RD_ATOMIC(4),
    /** Remote rights of the queue pair. */
    QP_ACCESS(ALL_REMOTE),
    /** Rights of the memory region, LOCAL_WRITE aside. */
    MR_ACCESS(ALL_REMOTE | AccessFlags.MW_BIND),
    /** Q_Key of a datagram queue pair. */
    QKEY(0x1234),
    /** The state of the queue pair at the begin of the dialogue, {@code enum ibv_qp_state}: RTS. */
    STATE(3),
    /** sq_sig_all; 0: only requests with the flag are signaled. */
    SIGNAL_ALL(1),
    /** Depth of the shared receive queue; 0: no shared receive queue, except for XRC_RECV. */
    SHARED_RECEIVES(0),
    /** Entries of the completion queue of sends. */
    SEND_CQE(256),
    /** Entries of the completion queue of receives. */
    RECV_CQE(256),
    /** 1: the queue pair has another protection domain than the region. */
    FOREIGN_DOMAIN(0),
    /** 1: the queue pair can post FLUSH, which needs a builder. */
    FLUSHES(0);

    private final int usual;

    Attribute(int usual) {
      this.usual = usual;
    }
  }

  private final Map<Attribute, Integer> values;

  private SubjectSetup(Map<Attribute, Integer> values) {
    this.values = values;
  }

  /** A reliable connection with the defaults. */
  public static SubjectSetup rc() {
    return new SubjectSetup(Map.of());
  }

  /** This setup with another value of one attribute. */
  public SubjectSetup with(Attribute attribute, int value) {
    Map<Attribute, Integer> changed = new TreeMap<>(values);
    changed.put(attribute, value);
    return new SubjectSetup(changed);
  }

  /**
   * This setup with the attributes of a word in a script: {@code uc}, {@code ud}, {@code xrcSend},
   * {@code xrcRecv} or {@code NAME=EXPRESSION}.
   *
   * @throws IllegalArgumentException for another word
   */
  SubjectSetup reading(String word) {
    return switch (word) {
      case "uc" -> with(Attribute.QP_TYPE, 3);
      case "ud" -> with(Attribute.QP_TYPE, 4);
      case "xrcSend" -> with(Attribute.QP_TYPE, 9);
      case "xrcRecv" -> with(Attribute.QP_TYPE, 10);
      default -> {
        String[] parts = word.split("=");
        if (parts.length != 2) {
          throw new IllegalArgumentException("no attribute: " + word);
        }
        int value = (int) Expression.value(parts[1], Numbers::flag);
        yield with(Attribute.valueOf(parts[0]), value);
      }
    };
  }

  /** The value that was set, or the default. */
  public int get(Attribute attribute) {
    return values.getOrDefault(attribute, attribute.usual);
  }

  /** All attributes, for a queue pair on the way to RTS. */
  QpAttr attributes(AhAttr path) {
    return QpBringUp.attributes(path, get(Attribute.DEST_QPN))
        .pathMtu(Mtu.of(get(Attribute.PATH_MTU)))
        .sqPsn(get(Attribute.SQ_PSN))
        .rqPsn(get(Attribute.RQ_PSN))
        .timeout(get(Attribute.TIMEOUT))
        .retryCnt(get(Attribute.RETRY_CNT))
        .rnrRetry(get(Attribute.RNR_RETRY))
        .minRnrTimer(get(Attribute.MIN_RNR_TIMER))
        .maxRdAtomic(get(Attribute.MAX_RD_ATOMIC))
        .maxDestRdAtomic(get(Attribute.MAX_DEST_RD_ATOMIC))
        .qpAccessFlags(get(Attribute.QP_ACCESS))
        .qkey(get(Attribute.QKEY));
  }

  /** The attributes that differ from the defaults, as words {@code NAME=number}. */
  @Override
  public String toString() {
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(" "));
  }

  /**
   * Reads the words of {@link #toString}.
   *
   * @throws IllegalArgumentException for other words
   */
  public static SubjectSetup parse(String words) {
    SubjectSetup setup = rc();
    for (String word : words.strip().split("\\s+")) {
      int at = word.indexOf('=');
      if (at > 0) {
        setup =
            setup.with(
                Attribute.valueOf(word.substring(0, at)), Integer.decode(word.substring(at + 1)));
      } else if (!word.isEmpty()) {
        throw new IllegalArgumentException("no attribute: " + word);
      }
    }
    return setup;
  }
}
