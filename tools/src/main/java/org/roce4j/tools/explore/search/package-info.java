/**
 * The plans of faults that {@code roce4j explore} tries, and the shrinking of a plan that fails.
 */
package org.roce4j.tools.explore.search;
