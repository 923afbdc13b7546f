package org.roce4j.robustness;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;

/**
 * Sends random and mutated datagrams to the UDP port of a device, at a pace that its socket can
 * take, while other queue pairs of the device carry verified traffic.
 *
 * <p>The attacker has the address of the peer of three live queue pairs (RC, UC, UD) and knows
 * their numbers, PSNs and keys. Over IPv4 it also attacks the other queue pairs, with well-formed
 * packets from a third address and damaged packets from the right one.
 *
 * <pre>
 *   HostileDatagrams [linux|netty] [ipv4|ipv6] [RANDOM] [MUTATED] [SEED]
 * </pre>
 */
final class HostileDatagrams {
  private static final int PACE = 64;
  private static final int LARGE = 8 << 10;
  private static final long QUIET_NS = 10_000_000_000L;

  private final String transport;
  private final boolean ipv6;
  private final long seed;
  private final SplittableRandom random;
  private final ConcurrentLinkedQueue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final Arena arena = Arena.ofShared();
  private final GuardedMemory memory = new GuardedMemory(arena);
  private final List<Bystander> bystanders = new ArrayList<>();
  private final List<Victim> victims = new ArrayList<>();

  private Context target;
  private Context peer;
  private Gid targetAddress;
  private Gid peerAddress;
  private KernelSocket socket;
  private DatagramChannel near;
  private DatagramChannel far;
  private Gid farAddress;
  private Forge forge;
  private InetSocketAddress to;
  private long sent;
  private long wrong;

  /**
   * The result of an attack.
   *
   * @param sent number of hostile datagrams
   * @param wrong number of those with a wrong ICRC
   * @param expected number of datagrams that the attacker and the peers sent to the device
   * @param received number that the device counted
   * @param dropped number that the kernel dropped at the device's socket
   * @param accepted number of datagrams with a wrong ICRC that the device did not count as such
   * @param damage bytes that changed although they must not
   */
  record Outcome(
      String transport,
      boolean ipv6,
      long seed,
      long sent,
      long wrong,
      long expected,
      long received,
      long dropped,
      long accepted,
      long damage,
      long messages,
      long verifiedBytes,
      long revivals,
      long heapGrowth,
      List<Throwable> uncaught,
      List<String> deadThreads,
      Map<String, Long> counters,
      double seconds) {

    /**
     * The number of wrong ICRCs that may pass: the false positives of the check's width (see {@code
     * IcrcJudge}), generously.
     */
    long mayPass() {
      return ipv6 ? 0 : 2 + wrong / 500_000;
    }

    /** The rules that the result breaks. */
    List<String> complaints() {
      List<String> all = new ArrayList<>();
      uncaught.forEach(thrown -> all.add("uncaught: " + thrown));
      deadThreads.forEach(name -> all.add("thread " + name + " has ended"));
      if (expected != received + dropped) {
        all.add("sent " + expected + ", but received " + received + " and dropped " + dropped);
      }
      if (accepted < 0 || accepted > mayPass()) {
        all.add(accepted + " of " + wrong + " with a wrong ICRC passed");
      }
      if (damage != 0) {
        all.add(damage + " bytes changed outside of what may be written");
      }
      if (messages == 0) {
        all.add("the bystanders exchanged nothing");
      }
      if (heapGrowth > 32 << 20) {
        all.add("the heap grew by " + heapGrowth + " bytes");
      }
      return all;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s, IPv%d, seed %d: %d hostile datagrams (%d with a wrong ICRC, %d of them passed) in"
              + " %.1f s; sent %d = received %d + dropped %d; bystanders verified %d messages, %d"
              + " bytes; %d victims made anew; heap %+d KiB%n%s",
          transport,
          ipv6 ? 6 : 4,
          seed,
          sent,
          wrong,
          accepted,
          seconds,
          expected,
          received,
          dropped,
          messages,
          verifiedBytes,
          revivals,
          heapGrowth >> 10,
          counters);
    }
  }

  HostileDatagrams(String transport, boolean ipv6, long seed) {
    this.transport = transport;
    this.ipv6 = ipv6;
    this.seed = seed;
    random = new SplittableRandom(seed);
  }

  public static void main(String[] arguments) throws Exception {
    String transport = arguments.length > 0 ? arguments[0] : "linux";
    boolean ipv6 = arguments.length > 1 && arguments[1].equals("ipv6");
    long randoms = arguments.length > 2 ? Long.parseLong(arguments[2]) : 1_000_000;
    long mutated = arguments.length > 3 ? Long.parseLong(arguments[3]) : 1_000_000;
    long seed = arguments.length > 4 ? Long.parseLong(arguments[4]) : System.nanoTime();
    System.out.println("transport " + transport + ", seed " + seed);
    Outcome outcome = new HostileDatagrams(transport, ipv6, seed).run(randoms, mutated);
    System.out.println(outcome);
    outcome.complaints().forEach(System.err::println);
    System.exit(outcome.complaints().isEmpty() ? 0 : 1);
  }

  /** Attacks with random and with mutated datagrams. */
  Outcome run(long randoms, long mutated) throws Exception {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
    try {
      open();
      return attack(randoms, mutated);
    } finally {
      stop.set(true);
      close();
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  private void open() throws IOException {
    targetAddress = ipv6 ? Loopback.ipv6() : Loopback.fresh();
    peerAddress = ipv6 ? targetAddress : Loopback.fresh();
    int port = Loopback.freeUdpPort(targetAddress.toInetAddress());
    target = device("target", targetAddress, port);
    // There is but one IPv6 loopback address: the device is its own peer.
    peer = ipv6 ? target : device("peer", peerAddress, port);
    socket = new KernelSocket(targetAddress, port);
    near = DatagramChannel.open().bind(new InetSocketAddress(peerAddress.toInetAddress(), 0));
    if (!ipv6) {
      farAddress = Loopback.fresh();
      far = DatagramChannel.open().bind(new InetSocketAddress(farAddress.toInetAddress(), 0));
    }
    to = new InetSocketAddress(targetAddress.toInetAddress(), port);
    forge = new Forge(random, targetAddress, port);
    bystanders.add(new Bystander(peer, target, memory, 1));
    bystanders.add(new Bystander(target, peer, memory, 2));
    for (QpType type : new QpType[] {QpType.RC, QpType.UC, QpType.UD}) {
      victims.add(new Victim(target, type, peerAddress, memory));
    }
  }

  private Context device(String name, Gid address, int port) {
    return Emulator.device(
            DeviceOptions.of(name, address).withTransport(transport).withUdpPort(port))
        .open();
  }

  private Outcome attack(long randoms, long mutated) throws Exception {
    long startNs = System.nanoTime();
    Thread traffic = Thread.ofPlatform().name("bystanders").start(this::traffic);
    long heapBefore = bombard(randoms, mutated);
    stop.set(true);
    traffic.join();
    awaitQuiet();
    double seconds = (System.nanoTime() - startNs) / 1e9;
    long growth = heap() - heapBefore;
    List<String> dead = deadThreads();
    victims.forEach(Victim::destroy);
    return outcome(growth, dead, seconds);
  }

  /** Sends the hostile datagrams; returns the heap bytes in use after the first quarter. */
  private long bombard(long randoms, long mutated) throws IOException, InterruptedException {
    long heapBefore = 0;
    for (long i = 0; i < randoms + mutated; i++) {
      if (i % PACE == 0) {
        pace();
        victims.forEach(victim -> victim.attend(random));
      }
      if (i == (randoms + mutated) / 4) {
        heapBefore = heap();
      }
      // Random and mutated datagrams in random order, in the requested proportion.
      if (random.nextLong(randoms + mutated) < randoms) {
        send(near, peerAddress, true);
      } else {
        send(near, peerAddress, false);
      }
    }
    pace();
    return heapBefore;
  }

  private void awaitQuiet() throws InterruptedException {
    long quietNs = System.nanoTime() + QUIET_NS;
    while (expected() != received() + socket.dropped() && System.nanoTime() - quietNs < 0) {
      target.createCq(1).close(); // runs the engine
      Thread.sleep(1);
    }
  }

  private List<String> deadThreads() {
    List<String> dead = new ArrayList<>();
    for (String name : ipv6 ? List.of("target") : List.of("target", "peer")) {
      if (Thread.getAllStackTraces().keySet().stream()
          .noneMatch(thread -> thread.getName().equals("roce4j-" + name))) {
        dead.add(name);
      }
    }
    return dead;
  }

  private Outcome outcome(long growth, List<String> dead, double seconds) {
    Map<String, Long> counters = new TreeMap<>(target.counters());
    counters.values().removeIf(value -> value == 0);
    return new Outcome(
        transport,
        ipv6,
        seed,
        sent,
        wrong,
        expected(),
        received(),
        socket.dropped(),
        wrong - counters.getOrDefault("icrc_err", 0L),
        memory.damage(),
        bystanders.stream().mapToLong(Bystander::messages).sum(),
        bystanders.stream().mapToLong(Bystander::verifiedBytes).sum(),
        victims.stream().mapToLong(Victim::revivals).sum(),
        growth,
        List.copyOf(uncaught),
        dead,
        counters,
        seconds);
  }

  private void traffic() {
    bystanders.forEach(Bystander::start);
    long lastNs = System.nanoTime();
    boolean busy = true;
    while (busy) {
      busy = false;
      boolean moved = false;
      for (Bystander each : bystanders) {
        moved |= each.poll();
        if (each.idle() && !stop.get()) {
          each.start();
        }
        busy |= !each.idle();
      }
      long now = System.nanoTime();
      if (moved) {
        lastNs = now;
      } else {
        if (now - lastNs > QUIET_NS) {
          throw new AssertionError("the bystanders' traffic has stopped");
        }
        Thread.onSpinWait();
      }
    }
  }

  private void send(DatagramChannel ordinary, Gid source, boolean randomBytes) throws IOException {
    DatagramChannel from = ordinary;
    forge.from(source, port(ordinary));
    int kind = random.nextInt(16);
    if (randomBytes) {
      forge.random();
    } else if (kind == 0 && far != null) {
      from = far;
      forge.from(farAddress, port(far)).toward(bystanderQpn(), random.nextInt(1 << 24));
    } else if (kind == 1) {
      forge.toward(bystanderQpn(), random.nextInt(1 << 24));
      while (forge.right()) {
        forge.flipBits();
      }
    } else {
      forge.mutated(victims.get(random.nextInt(4) == 0 ? random.nextInt(3) : 0));
    }
    boolean right = forge.right();
    ByteBuffer datagram = forge.datagram();
    boolean large = datagram.remaining() > LARGE;
    if (large) {
      drain();
    }
    from.send(datagram, to);
    sent++;
    wrong += right ? 0 : 1;
    if (large) {
      drain();
    }
  }

  private static int port(DatagramChannel channel) throws IOException {
    return ((InetSocketAddress) channel.getLocalAddress()).getPort();
  }

  private int bystanderQpn() {
    return random.nextBoolean()
        ? bystanders.getFirst().target().qpNum()
        : bystanders.getLast().source().qpNum();
  }

  /** The number of datagrams sent to the device so far, by the attacker and its peers. */
  private long expected() {
    return sent + peer.counters().get("sent_pkts");
  }

  private long received() {
    return target.counters().get("rcvd_pkts");
  }

  private void pace() throws InterruptedException {
    keepUp(PACE);
  }

  private void drain() throws IOException {
    try {
      keepUp(48); // bystanders are always busy
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Waits until at most {@code mostUnderWay} datagrams are under way. */
  private void keepUp(long mostUnderWay) throws InterruptedException {
    long patience = System.nanoTime() + 2_000_000;
    while (expected() - received() > mostUnderWay) {
      if (!uncaught.isEmpty()) {
        throw new AssertionError("something was thrown", uncaught.peek());
      }
      if (System.nanoTime() - patience > 0) {
        if (expected() - received() - socket.dropped() <= mostUnderWay) {
          return;
        }
        if (System.nanoTime() - patience > QUIET_NS) {
          throw new AssertionError(
              "the device received " + received() + " of " + expected() + " datagrams and no more");
        }
        Thread.sleep(1);
      }
      Thread.onSpinWait();
    }
  }

  private static long heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private void close() throws IOException {
    for (DatagramChannel channel : new DatagramChannel[] {near, far}) {
      if (channel != null) {
        channel.close();
      }
    }
    if (peer != null) {
      peer.close();
    }
    if (target != null) {
      target.close();
    }
    arena.close();
  }
}
