/**
 * Tests whether the suite notices a broken device and names the rule. Each {@link
 * org.roce4j.broken.BrokenEngine} is the engine with one mistake in its byte code, in a class
 * loader of its own; the tests of the rule must fail there and name it.
 */
package org.roce4j.broken;
