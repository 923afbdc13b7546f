/**
 * Emulated devices put together: a device on a port with what makes it run, on sockets or on a
 * virtual network, and the provider that lists them.
 */
package org.roce4j.emulator;
