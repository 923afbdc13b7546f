package org.roce4j.lab;

import java.util.Map;
import java.util.function.BiConsumer;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;

/** Attributes of a queue pair that a lab sets, named as in {@code ibv_qp_attr}. */
public enum QpSetting {
  /** Code of the ACK timeout: 4.096 us x 2^n; 0: none. */
  TIMEOUT("timeout", 31, QpAttrMask.TIMEOUT, QpAttr::timeout),
  /** Retries after a timeout or a sequence NAK. */
  RETRY_CNT("retry_cnt", 7, QpAttrMask.RETRY_CNT, QpAttr::retryCnt),
  /** Retries after an RNR NAK; 7: without end. */
  RNR_RETRY("rnr_retry", 7, QpAttrMask.RNR_RETRY, QpAttr::rnrRetry),
  /** Code of the time that the peer waits after an RNR NAK. */
  MIN_RNR_TIMER("min_rnr_timer", 31, QpAttrMask.MIN_RNR_TIMER, QpAttr::minRnrTimer),
  /** Bytes of payload in a packet. */
  PATH_MTU(
      "path_mtu", 4096, QpAttrMask.PATH_MTU, (attr, bytes) -> attr.pathMtu(Mtu.ofBytes(bytes))),
  /** The number of READs and atomics that may be outstanding. */
  MAX_RD_ATOMIC("max_rd_atomic", 16, QpAttrMask.MAX_QP_RD_ATOMIC, QpAttr::maxRdAtomic),
  /** The number of READs and atomics that it can answer again. */
  MAX_DEST_RD_ATOMIC(
      "max_dest_rd_atomic", 16, QpAttrMask.MAX_DEST_RD_ATOMIC, QpAttr::maxDestRdAtomic),
  /** The first PSN that it sends. */
  SQ_PSN("sq_psn", 0xFF_FFFF, QpAttrMask.SQ_PSN, QpAttr::sqPsn),
  /** The first PSN that it expects. */
  RQ_PSN("rq_psn", 0xFF_FFFF, QpAttrMask.RQ_PSN, QpAttr::rqPsn),
  /** Q_Key of datagrams. */
  QKEY("qkey", Integer.MAX_VALUE, QpAttrMask.QKEY, QpAttr::qkey);

  private final String key;
  private final int most;
  private final int mask;
  private final BiConsumer<QpAttr, Integer> setter;

  QpSetting(String key, int most, int mask, BiConsumer<QpAttr, Integer> setter) {
    this.key = key;
    this.most = most;
    this.mask = mask;
    this.setter = setter;
  }

  /** Its name in a scenario: {@code rnr_retry}. */
  public String key() {
    return key;
  }

  int most() {
    return most;
  }

  /** Sets the attributes. */
  static void apply(Map<QpSetting, Integer> settings, QpAttr attr) {
    settings.forEach((setting, value) -> setting.setter.accept(attr, value));
  }

  /** The bits of {@link QpAttrMask} of the settings. */
  static int mask(Map<QpSetting, Integer> settings) {
    return settings.keySet().stream().mapToInt(setting -> setting.mask).reduce(0, (a, b) -> a | b);
  }
}
