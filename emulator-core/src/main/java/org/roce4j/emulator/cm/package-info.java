/**
 * The connection manager's API on emulated devices: channels, ids, ports and routes, the part of
 * the Linux kernel beneath librdmacm. It supplies attributes to queue pairs and touches none of
 * their packets.
 */
package org.roce4j.emulator.cm;
