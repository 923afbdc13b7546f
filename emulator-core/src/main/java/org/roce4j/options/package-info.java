/** How options are written: words of a line, and numbers with their units. */
package org.roce4j.options;
