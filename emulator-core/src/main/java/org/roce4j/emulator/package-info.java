/**
 * Emulated devices: a device with its ports and drivers, on sockets or on a virtual network, and
 * the provider that lists devices.
 */
package org.roce4j.emulator;
