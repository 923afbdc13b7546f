/**
 * A port on Linux UDP sockets, called through {@code java.lang.foreign}: trains in and out by UDP
 * segmentation and receive offload, TOS, TTL, and no allocation per datagram. The only package of
 * the emulator that links native code. Its door is {@link org.roce4j.port.linux.LinuxPortProvider}.
 */
package org.roce4j.port.linux;
