package org.roce4j.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test RDMA devices of its own that reach each other. Test methods and those around them
 * ({@code @BeforeEach}, {@code @AfterEach}) take as parameters:
 *
 * <ul>
 *   <li>{@link org.roce4j.verbs.RdmaDevice} and {@link org.roce4j.verbs.Context}: the first such
 *       parameter is the first device, the second the second, ...; {@link OnDevice} says otherwise.
 *       Contexts are opened for the test and closed after it; {@link
 *       org.roce4j.emulator.EmulatedDevice} is a device whose port can go down;
 *   <li>{@link org.roce4j.verbs.cm.RdmaCm}: the connection manager of a device, counted and closed
 *       like contexts; {@link EmulatedNetwork#address} is where a peer finds the device;
 *   <li>{@code List<RdmaDevice>} and {@code List<Context>}: all of them;
 *   <li>{@link Connected @Connected} {@link org.roce4j.connect.RcPair} and {@link
 *       org.roce4j.connect.UdPair}: two ends that send each other messages;
 *   <li>{@link EmulatedNetwork}: seed, counters and files;
 *   <li>{@link Seed @Seed} {@code long}: the seed;
 *   <li>on the fabric, {@link org.roce4j.emulator.FabricDevices} and {@link
 *       org.roce4j.fabric.Fabric}: to break links, heal them and let time pass.
 * </ul>
 *
 * <p>When nothing completes for two seconds though the test waits or polls, a line on the standard
 * error stream says who waits for what. When a test fails, its packets (pcapng) and counters stay
 * in {@code target/roce4j/TEST}, and a line says where and with which seed to repeat it. On a class
 * it stands for all of its methods, nested classes included; on a method it wins.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(EmulatedRdmaExtension.class)
public @interface EmulatedRdma {
  /** A network in memory and in virtual time: no socket, no thread, the same run every time. */
  String FABRIC = "fabric";

  /** The best port on UDP sockets of the loopback interface. */
  String UDP = "udp";

  /** How many devices: 1 to 64. */
  int devices() default 2;

  /**
   * How many ports each device has: 1 to 3. {@link Connected} ends are on the ports that they name.
   */
  int ports() default 1;

  /**
   * {@link #FABRIC}, {@link #UDP}, or the name of a port such as {@code linux} or {@code netty}.
   */
  String transport() default FABRIC;

  /**
   * Source of queue pair numbers, keys and faults. 0: what the system property {@code roce4j.seed}
   * or the environment variable {@code ROCE4J_SEED} says, or else a new one for each test.
   */
  long seed() default 0;

  /**
   * What datagrams suffer, parts separated by semicolons:
   *
   * <ul>
   *   <li>a part with options of a {@link org.roce4j.fabric.LinkModel} alone is about every way:
   *       {@code loss=1% reorder=5%}, in a file {@code links};
   *   <li>any other is a {@link org.roce4j.port.fault.FaultRule} at the first device: {@code drop
   *       direction=out nth=3};
   *   <li>one that begins with a fault of the verbs is a {@link org.roce4j.faulty.VerbsRule} of the
   *       contexts of the first device that are parameters: {@code refuse=ENOMEM
   *       call=registerMemory}. Times are the network's.
   * </ul>
   */
  String faults() default "";

  /**
   * Engines of each device: 1, 2, 4, 8 or 16. {@code netty} has one; a completion queue's vector
   * names its engine.
   */
  int engines() default 1;

  /** The active MTU of each port in bytes. */
  int mtu() default 4096;

  /**
   * Addresses of the devices, one for each port, those of a device one after the other; empty:
   * 10.0.0.1, 10.0.0.2, ... on the fabric, where port 2 has 10.0.1.1, 10.0.1.2, ..., and free
   * loopback addresses on UDP.
   */
  String[] addresses() default {};

  /** Whether packets are kept. */
  Keep packets() default Keep.ON_FAILURE;

  /**
   * Seconds of virtual time that a test on the fabric may take, 1 or more; what would take longer
   * is refused with ETIMEDOUT and says what is going on. A sender that waits without end for a
   * receive uses them up in real seconds.
   */
  long virtualSeconds() default 3600;

  /**
   * What becomes of objects of the verbs that a test which passes has made and not closed: contexts
   * too, but for those that are parameters.
   */
  Leaks leaks() default Leaks.IGNORE;

  /** What becomes of objects that a test leaves open. They are closed in any case. */
  enum Leaks {
    /** Nothing; it is not remembered where objects are made. */
    IGNORE,
    /** Lines on the standard error stream name them, and where they were made. */
    TELL,
    /** The test fails and names them, and where they were made. */
    FAIL
  }

  /** When packets and counters are kept. */
  enum Keep {
    /** When the test fails. */
    ON_FAILURE,
    /** Also when the test succeeds. */
    ALWAYS,
    /** Packets never; counters when the test fails. */
    NEVER
  }
}
