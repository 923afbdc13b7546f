/**
 * Does the suite notice a broken device, and name the rule? Each {@link
 * org.roce4j.broken.BrokenEngine} is the engine with one mistake put into its byte code, in a class
 * loader of its own; what holds the rule must fail there and name it.
 */
package org.roce4j.broken;
