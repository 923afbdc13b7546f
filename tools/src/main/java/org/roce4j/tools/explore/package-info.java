/** {@code roce4j explore}, which searches a plan of faults that makes a program fail. */
package org.roce4j.tools.explore;
