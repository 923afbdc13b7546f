/**
 * The connection manager's API on emulated devices: channels, ids, ports and routes, the part of
 * the Linux kernel beneath librdmacm. In the walk of the data it stands before the queue pairs: it
 * supplies their attributes and touches no packet of theirs.
 */
package org.roce4j.emulator.cm;
