package org.roce4j.verbs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/**
 * The result of the method must be used: it is an errno, and an unread refusal is a request that
 * never runs. Error Prone knows the annotation by its simple name and makes a dropped result an
 * error.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface CheckReturnValue {}
