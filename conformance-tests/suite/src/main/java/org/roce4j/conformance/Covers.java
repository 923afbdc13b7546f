package org.roce4j.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Rows made here use these calls as their manual describes them; the value is the C name of each
 * call. Rows run on every backend, so they cover the emulator and the hardware. A JUnit test says
 * the same with {@code @Tag("ibv_...")}. docs/verbs-coverage.md lists the calls that neither
 * covers.
 */
@Retention(RetentionPolicy.SOURCE)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Covers {
  /** Names such as {@code ibv_create_qp}. */
  String[] value();
}
