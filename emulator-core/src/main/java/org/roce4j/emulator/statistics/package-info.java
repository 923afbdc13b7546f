/** What another process may ask a running device, for {@code roce4j stats} and JMX consoles. */
package org.roce4j.emulator.statistics;
