/** The syntax of options: words of a line, and numbers with units. */
package org.roce4j.options;
