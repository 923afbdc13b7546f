/**
 * A port on Linux UDP sockets, called through {@code java.lang.foreign}: trains in both directions
 * by UDP segmentation and receive offload, TOS and TTL; it allocates nothing per datagram. The only
 * package of the emulator that links native code. Its entry point is {@link
 * org.roce4j.port.linux.LinuxPortProvider}.
 */
package org.roce4j.port.linux;
