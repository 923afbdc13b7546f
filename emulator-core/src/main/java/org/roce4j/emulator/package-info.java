/**
 * Emulated devices put together: a device on a port with its drive, on sockets or on a virtual
 * network, and the provider that lists devices.
 */
package org.roce4j.emulator;
