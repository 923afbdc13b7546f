/**
 * Around a port: every datagram that passes is written to a capture file, one packet per datagram.
 */
package org.roce4j.port.capture;
