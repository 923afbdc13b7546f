package org.roce4j.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test its own RDMA devices, which reach each other. Test methods and lifecycle methods
 * ({@code @BeforeEach}, {@code @AfterEach}) take as parameters:
 *
 * <ul>
 *   <li>{@link org.roce4j.verbs.RdmaDevice} and {@link org.roce4j.verbs.Context}: the first such
 *       parameter is of the first device, the second of the second, and so on, unless {@link
 *       OnDevice} names the device. Contexts are opened for the test and closed after it; {@link
 *       org.roce4j.emulator.EmulatedDevice} is a device whose port can go down;
 *   <li>{@link org.roce4j.verbs.cm.RdmaCm}: the connection manager of a device, numbered and closed
 *       like contexts; {@link EmulatedNetwork#address} is the address for a peer;
 *   <li>{@code List<RdmaDevice>} and {@code List<Context>}: all devices or contexts;
 *   <li>{@link Connected @Connected} {@link org.roce4j.connect.RcPair} and {@link
 *       org.roce4j.connect.UdPair}: two ends that send each other messages;
 *   <li>{@link EmulatedNetwork}: seed, counters and files;
 *   <li>{@link Seed @Seed} {@code long}: the seed;
 *   <li>on the fabric, {@link org.roce4j.emulator.FabricDevices} and {@link
 *       org.roce4j.fabric.Fabric}: to break and heal links and to let time pass.
 * </ul>
 *
 * <p>If nothing completes for two seconds while the test waits or polls, a line on the standard
 * error stream says which thread waits for what. If a test fails, its packets (pcapng) and counters
 * are kept in {@code target/roce4j/TEST}, and a line says where they are and with which seed to
 * repeat the test. On a class the annotation applies to all methods, including those of nested
 * classes; on a method it takes precedence.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(EmulatedRdmaExtension.class)
public @interface EmulatedRdma {
  /**
   * A network in memory and virtual time: it uses no socket and no thread, and every run is the
   * same.
   */
  String FABRIC = "fabric";

  /** UDP sockets of the loopback interface, by the best port that works. */
  String UDP = "udp";

  /** The number of devices, 1 to 64. */
  int devices() default 2;

  /** The number of ports of each device, 1 to 3. {@link Connected} names the ports of its ends. */
  int ports() default 1;

  /**
   * {@link #FABRIC}, {@link #UDP}, or the name of a port such as {@code linux} or {@code netty}.
   */
  String transport() default FABRIC;

  /**
   * The seed of queue pair numbers, keys and faults. 0: the value of the system property {@code
   * roce4j.seed} or the environment variable {@code ROCE4J_SEED}, or else a new seed for each test.
   */
  long seed() default 0;

  /**
   * Faults, as parts separated by semicolons:
   *
   * <ul>
   *   <li>a part with options of a {@link org.roce4j.fabric.LinkModel} only applies to all links:
   *       {@code loss=1% reorder=5%}, in a file {@code links};
   *   <li>any other part is a {@link org.roce4j.port.fault.FaultRule} at the first device: {@code
   *       drop direction=out nth=3};
   *   <li>a part that begins with a fault of the verbs is a {@link org.roce4j.faulty.VerbsRule} for
   *       those contexts of the first device that are parameters: {@code refuse=ENOMEM
   *       call=registerMemory}. Times are the network's.
   * </ul>
   */
  String faults() default "";

  /**
   * The number of engines of each device: 1, 2, 4, 8 or 16; with {@code netty} only 1. The vector
   * of a completion queue chooses its engine.
   */
  int engines() default 1;

  /** The active MTU of each port in bytes. */
  int mtu() default 4096;

  /**
   * The addresses of the devices, one for each port, first all of the first device. If empty, the
   * fabric has 10.0.0.1, 10.0.0.2, ... for port 1 and 10.0.1.1, 10.0.1.2, ... for port 2, and UDP
   * has free loopback addresses.
   */
  String[] addresses() default {};

  /** When to keep packets. */
  Keep packets() default Keep.ON_FAILURE;

  /**
   * The longest virtual time of a test on the fabric, in seconds, 1 or more. A call that would
   * exceed it is refused with ETIMEDOUT, and its message says what the devices are waiting for.
   */
  long virtualSeconds() default 3600;

  /**
   * The largest number of datagrams of a test on the fabric, 1 or more; then as at the end of
   * {@link #virtualSeconds}. A sender that retries without end because no receive is posted uses up
   * one or the other within a minute or some minutes of real time: with a short RNR timer and many
   * requests an hour of virtual time would take hours.
   */
  long datagrams() default 20_000_000;

  /**
   * The treatment of verbs objects that a successful test has created and not closed. Contexts
   * count unless they are parameters.
   */
  Leaks leaks() default Leaks.IGNORE;

  /** Treatments of objects that a test leaves open. They are closed in any case. */
  enum Leaks {
    /** Open objects are not reported, and the places of their creation are not recorded. */
    IGNORE,
    /** The standard error stream names them and the places of their creation. */
    TELL,
    /** The test fails with their names and the places of their creation. */
    FAIL
  }

  /** When packets and counters are kept. */
  enum Keep {
    /** When the test fails. */
    ON_FAILURE,
    /** Also when the test succeeds. */
    ALWAYS,
    /** Packets never; counters if the test fails. */
    NEVER
  }
}
