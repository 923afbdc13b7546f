/** {@code roce4j lab}: scenarios from files, on the terminal and as a page of this machine. */
package org.roce4j.tools.lab;
