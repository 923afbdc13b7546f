package org.roce4j.simulation;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.options.Quantity;

/** A whole number that shapes a run, named as in the line of options. */
enum Knob {
  DEVICES("devices", 2, 5, "devices on the network"),
  ENGINES("engines", 1, 16, "engines of a device, a power of two"),
  DEVICE_PORTS("device-ports", 1, 4, "ports of a device, each with an address"),
  UNSTEERED("unsteered", 0, 1, "1: packets reach an engine by their source, not by queue pair"),
  CONNECTIONS("connections", 1, 16, "reliable connections"),
  IPV6("ipv6", 0, 1, "1: the devices have IPv6 addresses"),
  SPLIT_CQS("split-cqs", 0, 1, "1: send and receive completions go to queues of their own"),
  MTU("mtu", 256, 4096, "path MTU, bytes"),
  OPERATIONS("operations", 1, 10_000, "work requests per end of a connection"),
  PACKETS("packets", 1, 1024, "packets of the longest message"),
  SQ("sq", 1, 1024, "depth of the send queues"),
  RQ("rq", 1, 1024, "receive requests kept posted"),
  BATCH("batch", 1, 64, "most work requests posted at once"),
  HELD("held-requests", 0, 63, "small requests of a connection that wait for one another"),
  THINK("think-ns", 0, 1_000_000_000, "longest pause between posts"),
  SGES("sges", 1, 16, "most scatter/gather elements"),
  INLINE("inline", 0, 512, "inline data, bytes"),
  SIGNAL("signal", 0, 100, "per cent of signaled requests; 100: all (sq_sig_all)"),
  FENCE("fence", 0, 100, "per cent of fenced requests"),
  FLUSH("flush", 0, 100, "per cent of the posts of a reliable connection that a FLUSH follows"),
  SOLICIT("solicit", 0, 100, "per cent of solicited requests"),
  RD_ATOMIC("rd-atomic", 1, 128, "max_rd_atomic"),
  DEST_RD_ATOMIC("dest-rd-atomic", 1, 128, "max_dest_rd_atomic"),
  TIMEOUT("timeout", 1, 31, "local ACK timeout code"),
  RETRY("retry-cnt", 0, 7, "retry_cnt"),
  RNR_RETRY("rnr-retry", 0, 7, "rnr_retry; 7: endless"),
  RNR_TIMER("rnr-timer", 0, 31, "min_rnr_timer code"),
  LATE("late", 0, 100, "per cent of receive requests that are posted late"),
  LATE_NS("late-ns", 0, 1_000_000_000, "how late at most"),
  WRAP("wrap", 0, 1_000_000, "0: starting PSNs anywhere; else at most so far before the wrap"),
  WINDOWS("windows", 0, 1, "1: part of the remote memory is reached through type 2 windows"),
  SHARED_COUNTERS("shared-counters", 0, 8, "longs per device that every peer adds to"),
  HEAL("heal", 0, 100, "per cent of the work after which the faults stop"),
  UC("uc", 0, 100, "per cent of unreliable connections"),
  DATAGRAM_ENDS("datagrams", 0, 16, "queue pairs for unreliable datagrams"),
  GROUPS("groups", 0, 4, "multicast groups"),
  WRONG_KEYS("wrong-keys", 0, 100, "per cent of datagrams with a wrong Q_Key"),
  OVERSIZED("oversized", 0, 100, "per cent of datagrams too long to be sent"),
  SRQ("srq", 0, 1, "1: the ends on a device share one receive queue"),
  PAUSES("pauses", 0, 100, "times that the links of a device stand still"),
  STALLS("stalls", 0, 100, "times that an application looks at no completion"),
  PARTITIONS("partitions", 0, 100, "times that two devices cannot reach each other"),
  PORTS("ports", 0, 100, "times that a port goes down"),
  DRAINS("drains", 0, 100, "times that a send queue is drained"),
  BREAKS("breaks", 0, 100, "times that a connection is given up under traffic"),
  CRASHES("crashes", 0, 100, "times that a device crashes"),
  OUTAGE_NS("outage-ns", 1, 1_000_000_000, "how long such a thing lasts at most"),
  RECONNECT("reconnect", 0, 1, "1: a broken connection is made again"),
  SEND("w-send", 0, 100, "weight of SEND"),
  SEND_IMM("w-send-imm", 0, 100, "weight of SEND_WITH_IMM"),
  WRITE("w-write", 0, 100, "weight of RDMA_WRITE"),
  WRITE_IMM("w-write-imm", 0, 100, "weight of RDMA_WRITE_WITH_IMM"),
  READ("w-read", 0, 100, "weight of RDMA_READ"),
  CAS("w-cas", 0, 100, "weight of ATOMIC_CMP_AND_SWP"),
  FAA("w-faa", 0, 100, "weight of ATOMIC_FETCH_AND_ADD");

  private static final Map<String, Knob> BY_KEY =
      Stream.of(values()).collect(Collectors.toMap(Knob::key, Function.identity()));

  private final String key;
  private final long least;
  private final long most;
  private final String meaning;

  Knob(String key, long least, long most, String meaning) {
    this.key = key;
    this.least = least;
    this.most = most;
    this.meaning = meaning;
  }

  String key() {
    return key;
  }

  long least() {
    return least;
  }

  long most() {
    return most;
  }

  String meaning() {
    return meaning;
  }

  long read(String text) {
    return Quantity.COUNT.read(text, least, most);
  }

  /** The knob with this name, or null. */
  static Knob of(String key) {
    return BY_KEY.get(key);
  }
}
