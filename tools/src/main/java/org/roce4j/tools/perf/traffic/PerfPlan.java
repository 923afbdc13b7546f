package org.roce4j.tools.perf.traffic;

import org.roce4j.tools.options.MtuConverter;
import org.roce4j.tools.options.SizeConverter;
import org.roce4j.tools.side.SideOptions;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options that both sides share. {@link #resolve} checks them and fills in the defaults. */
public final class PerfPlan implements Cloneable {
  private static final int MOST_BYTES = 1 << 30;
  private static final int LARGE = 8192;
  private static final int LATENCY_INLINE = 220;
  private static final int MOST_LOSSY_RECEIVES = 8192;

  @Parameters(index = "0", paramLabel = "TEST", description = "${COMPLETION-CANDIDATES}")
  private PerfTest test;

  @Option(
      names = {"-c", "--connection"},
      paramLabel = "TYPE",
      defaultValue = "RC",
      description = "RC (default), UC or UD.")
  private QpType service;

  @Option(
      names = {"-s", "--size"},
      paramLabel = "BYTES",
      converter = SizeConverter.class,
      description =
          "Bytes of a message, or with a unit: 64KiB (default: bandwidth 65536, latency 2; atomics"
              + " have 8).")
  private Long size;

  @Option(
      names = {"-n", "--iters"},
      paramLabel = "N",
      description = "Messages of each queue pair (default: 1000; write_bw: 5000).")
  private Long iterations;

  @Option(
      names = {"-D", "--duration"},
      paramLabel = "SECONDS",
      description = "Send for this time instead of counting; between two roce4j, on both sides.")
  private Double duration;

  @Option(
      names = {"-m", "--mtu"},
      paramLabel = "MTU",
      converter = MtuConverter.class,
      description = "Path MTU: 256, 512, 1024, 2048 or 4096 (default: what the device carries).")
  private Mtu mtu;

  @Option(
      names = {"-q", "--qp"},
      paramLabel = "N",
      defaultValue = "1",
      description = "Queue pairs of a bandwidth test (default: ${DEFAULT-VALUE}).")
  private int queuePairs;

  @Option(
      names = {"-t", "--tx-depth"},
      paramLabel = "N",
      description = "Requests outstanding on a queue pair (default: bandwidth 128, latency 16).")
  private Integer txDepth;

  @Option(
      names = {"-r", "--rx-depth"},
      paramLabel = "N",
      description = "Receives posted on a queue pair (default: 512).")
  private Integer rxDepth;

  @Option(
      names = {"-l", "--post_list"},
      paramLabel = "N",
      defaultValue = "1",
      description = "Requests posted in one call, in bandwidth tests (default: ${DEFAULT-VALUE}).")
  private int postList;

  @Option(
      names = {"-I", "--inline_size"},
      paramLabel = "BYTES",
      description =
          "Messages of at most BYTES are copied when posted (default: bandwidth 0, latency 220).")
  private Integer inline;

  @Option(
      names = {"-Q", "--cq-mod"},
      paramLabel = "N",
      description = "One completion for N requests (default: 100; over 8192 bytes: 1).")
  private Integer signalEvery;

  @Option(
      names = {"-u", "--qp-timeout"},
      paramLabel = "N",
      description =
          "ACK timeout of RC: 4.096 us * 2^N (default: 14, 67 ms; in a pair of its own 17, 0.5 s,"
              + " as both share this machine with others).")
  private Integer ackTimeout;

  @Option(
      names = {"-e", "--events"},
      description = "Sleep until a completion event comes instead of polling.")
  private boolean events;

  @Option(
      names = "--verify",
      description = "Check every byte that arrives; between two roce4j, on both sides.")
  private boolean verify;

  private long durationNs;

  /**
   * Checks the options and fills in the defaults.
   *
   * @param defaultNs the time to send if neither -n nor -D is given; 0: count messages
   */
  public void resolve(SideOptions side, long defaultNs) {
    checkTest(side);
    resolveAmount(side, defaultNs);
    side.demand(postList >= 1 && postList <= 4096, "-l must be 1 to 4096, not " + postList);
    side.demand(
        durationNs > 0 || iterations % postList == 0,
        "-n " + iterations + " must be a multiple of -l " + postList);
    resolveDepths(side);
    resolveSignalling(side);
    ackTimeout = ackTimeout != null ? ackTimeout : side.local() ? 17 : 14;
    side.demand(ackTimeout >= 0 && ackTimeout <= 31, "-u must be 0 to 31, not " + ackTimeout);
    boolean mayInline = verb() == Verb.SEND || verb() == Verb.WRITE;
    inline = inline != null ? inline : test.latency() ? LATENCY_INLINE : 0;
    side.demand(inline >= 0 && inline <= 4096, "-I must be 0 to 4096, not " + inline);
    inline = mayInline ? inline : 0;
    checkVerify(side);
  }

  private void checkTest(SideOptions side) {
    boolean possible =
        switch (service) {
          case RC -> true;
          case UC -> verb() == Verb.SEND || verb() == Verb.WRITE;
          case UD -> verb() == Verb.SEND;
          default -> false;
        };
    side.demand(
        possible,
        switch (service) {
          case UC -> test + " does not exist on UC: UC has SEND and WRITE only";
          case UD -> test + " does not exist on UD: UD has SEND only";
          default -> "-c must be RC, UC or UD, not " + service;
        });
    side.demand(
        !(events && test == PerfTest.WRITE_LAT),
        "write_lat looks at memory, where no event comes: leave out -e");
    side.demand(
        queuePairs >= 1 && queuePairs <= 100_000, "-q must be 1 to 100000, not " + queuePairs);
    side.demand(queuePairs == 1 || !test.latency(), "-q is for bandwidth tests");
    side.demand(postList == 1 || !test.latency(), "-l is for bandwidth tests");
  }

  private void resolveAmount(SideOptions side, long defaultNs) {
    int mostDatagram = mtu == null ? 4096 : mtu.bytes();
    size = size != null ? size : Long.valueOf(defaultSize());
    side.demand(
        size >= 0 && size <= MOST_BYTES, "-s must be 0 to " + MOST_BYTES + " bytes, not " + size);
    side.demand(
        verb() != Verb.ATOMIC || size == Long.BYTES,
        "an atomic operation has 8 bytes: leave out -s");
    side.demand(
        test != PerfTest.WRITE_LAT || size >= 1, "write_lat needs a byte to look at: -s 1 or more");
    side.demand(
        service != QpType.UD || size <= mostDatagram,
        Wording.of(
            "a datagram has no second packet: -s %d is over the path MTU; choose a smaller -s",
            size));
    side.demand(iterations == null || duration == null, "-n counts and -D times: choose");
    iterations = iterations != null ? iterations : test == PerfTest.WRITE_BW ? 5000L : 1000L;
    side.demand(iterations >= 1, "-n must be 1 or more, not " + iterations);
    side.demand(
        duration == null || duration > 0 && duration <= 3600,
        "-D must be over 0, up to 3600 seconds");
    durationNs = duration != null ? Math.round(duration * 1e9) : defaultNs;
  }

  private int defaultSize() {
    if (verb() == Verb.ATOMIC) {
      return Long.BYTES;
    }
    if (test.latency()) {
      return 2;
    }
    return service != QpType.UD ? 65536 : mtu == null ? 1024 : mtu.bytes();
  }

  private void resolveDepths(SideOptions side) {
    int tx = txDepth != null ? txDepth : Math.max(postList, test.latency() || verify ? 16 : 128);
    side.demand(tx >= 1 && tx <= 8192, "-t must be 1 to 8192, not " + tx);
    side.demand(tx >= postList, "-t " + tx + " has no room for a list of -l " + postList);
    txDepth = mostOutstanding(tx);
    int rx = rxDepth != null ? rxDepth : verify && service == QpType.RC ? 32 : 512;
    side.demand(rx >= 1 && rx <= 16_384, "-r must be 1 to 16384, not " + rx);
    if (rxDepth == null && lossy() && !verify && queuePairs == 1) {
      boolean counted = duration == null;
      rxDepth = counted ? Math.clamp(iterations, 1, MOST_LOSSY_RECEIVES) : MOST_LOSSY_RECEIVES;
    } else {
      rxDepth = mostOutstanding(rx);
    }
  }

  private int mostOutstanding(int depth) {
    return durationNs > 0 ? depth : (int) Math.min(depth, iterations);
  }

  private void resolveSignalling(SideOptions side) {
    if (postList > 1) {
      signalEvery = signalEvery != null ? signalEvery : Integer.valueOf(postList);
      side.demand(
          signalEvery >= 1 && postList % signalEvery == 0,
          "-l " + postList + " must be a multiple of -Q " + signalEvery);
      return;
    }
    int usual = size > LARGE && service != QpType.UD ? 1 : 100;
    int every = signalEvery != null ? signalEvery : usual;
    side.demand(every >= 1, "-Q must be 1 or more, not " + every);
    signalEvery = Math.min(every, txDepth);
  }

  private void checkVerify(SideOptions side) {
    side.demand(
        !verify || !lossy() || verb() == Verb.SEND && size >= Long.BYTES,
        "--verify on " + service + " needs a SEND test with messages of 8 bytes or more");
    side.demand(
        !verify || postList == 1, "--verify looks at one message after the other: leave out -l");
  }

  /** This plan with another path MTU. */
  public PerfPlan over(Mtu agreed) {
    try {
      PerfPlan plan = (PerfPlan) clone();
      plan.mtu = agreed;
      return plan;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  public PerfTest test() {
    return test;
  }

  /** The verb of the test. */
  public Verb verb() {
    return test.verb();
  }

  public QpType service() {
    return service;
  }

  /** Bytes of a message. */
  public int size() {
    return Math.toIntExact(size);
  }

  /** Messages of each queue pair. */
  public long iterations() {
    return iterations;
  }

  /** The time to send instead of counting iterations, or 0. */
  public long durationNs() {
    return durationNs;
  }

  public int queuePairs() {
    return queuePairs;
  }

  /** The path MTU; null: the greatest that the device supports. */
  public Mtu mtu() {
    return mtu;
  }

  /** Requests that a queue pair may have outstanding. */
  public int txDepth() {
    return txDepth;
  }

  /** Receives that a queue pair keeps posted. */
  public int rxDepth() {
    return rxDepth;
  }

  /** Requests posted in one call. */
  public int postList() {
    return postList;
  }

  /** The longest message that is copied when it is posted, bytes. */
  public int inline() {
    return inline;
  }

  /** Requests for each completion. */
  public int signalEvery() {
    return signalEvery;
  }

  /** Exponent of the ACK timeout: 4.096 us * 2^n. */
  public int ackTimeout() {
    return ackTimeout;
  }

  /** Whether to sleep until a completion event comes instead of polling. */
  public boolean events() {
    return events;
  }

  /** Whether every byte is checked; it changes the buffers' sizes and WRITE's opcode. */
  public boolean verify() {
    return verify;
  }

  /** Whether a message may be lost for good. */
  public boolean lossy() {
    return service != QpType.RC;
  }

  /** Bytes that the device writes in front of a received message. */
  int headroom() {
    return service == QpType.UD ? 40 : 0;
  }

  /** Packets that carry one message. */
  public long packets() {
    return Math.max(1, (size + mtu.bytes() - 1L) / mtu.bytes());
  }

  /** Whether a server takes receives: for SENDs, or for WRITEs with immediate data. */
  boolean receives() {
    return verb() == Verb.SEND || verify && test == PerfTest.WRITE_BW;
  }
}
