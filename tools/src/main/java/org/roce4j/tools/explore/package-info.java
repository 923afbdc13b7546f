/** {@code roce4j explore}, which searches for a plan of faults that makes a program fail. */
package org.roce4j.tools.explore;
