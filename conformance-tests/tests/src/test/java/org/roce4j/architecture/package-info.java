/**
 * The house laws of {@code docs/design.md}, one test each: who may import whom, who may name a
 * clock, who may touch registered memory.
 */
package org.roce4j.architecture;
