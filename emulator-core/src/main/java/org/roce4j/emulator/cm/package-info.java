/**
 * The connection manager's API on emulated devices: channels, ids, ports and routes, what Linux's
 * kernel does beneath librdmacm. In the data's way it stands before the queue pairs: it tells their
 * attributes, and touches none.
 */
package org.roce4j.emulator.cm;
