/** What another process can ask of a running device, for {@code roce4j stats} and JMX consoles. */
package org.roce4j.emulator.statistics;
