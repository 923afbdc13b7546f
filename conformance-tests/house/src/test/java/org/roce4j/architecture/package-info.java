/**
 * The house laws of {@code docs/design.md}, one test each: allowed imports between packages,
 * allowed uses of clocks, allowed access to registered memory.
 */
package org.roce4j.architecture;
