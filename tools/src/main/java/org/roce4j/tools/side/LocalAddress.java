package org.roce4j.tools.side;

/**
 * Where a side sends from.
 *
 * @param port of its device, from 1
 * @param gidIndex in the GID table of that port
 */
public record LocalAddress(int port, int gidIndex) {
  /** The port and the GID index of a device with one port and one address. */
  public static final LocalAddress FIRST = new LocalAddress(1, 0);
}
