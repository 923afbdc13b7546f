/** Which plans of faults {@code roce4j explore} tries, and how one that fails becomes smaller. */
package org.roce4j.tools.explore.search;
