/**
 * Does the suite notice a broken device? Each {@link org.roce4j.broken.BrokenEngine} is the engine
 * with one mistake put into its source, recompiled and run in a class loader of its own; the suite
 * that is meant to catch it must fail there and name the rule.
 */
package org.roce4j.broken;
