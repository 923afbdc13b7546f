package org.roce4j.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a test two connected ends, {@link org.roce4j.connect.RcPair} or {@link
 * org.roce4j.connect.UdPair}, which are closed after it.
 *
 * <pre>{@code
 * @Test
 * @EmulatedRdma
 * void aMessageArrives(@Connected RcPair pair) {
 *   pair.client().send("hello");
 *   assertEquals("hello", pair.server().receiveString());
 * }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Connected {
  /** Number of the client's device. */
  int client() default 0;

  /** Number of the server's device; may be the client's. */
  int server() default 1;

  /** The port of the client's device, from 1. */
  int clientPort() default 1;

  /** The port of the server's device, from 1. */
  int serverPort() default 1;

  /** The longest message in bytes. */
  int messageBytes() default 4096;

  /** The number of receives that each end keeps posted. */
  int depth() default 16;

  /** Exponent of the ACK timeout, 0 to 31: 4.096 us * 2^n; 17 is 0.5 s. */
  int ackTimeout() default 17;

  /** The number of retransmissions of an unanswered request, 0 to 7. */
  int retries() default 7;
}
