/** Behind the port's door: whatever passes is written to a capture file, a packet a segment. */
package org.roce4j.port.capture;
