package org.roce4j.conformance.dialogue;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.roce4j.conformance.Rule;

/**
 * The rule that a dialogue holds the device to; a failure prints it. A method's rule overrides that
 * of its class.
 */
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(BrokenRule.class)
@interface Holds {
  Rule value();
}
