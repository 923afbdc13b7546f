/**
 * What crosses the engine's lower edge: a received datagram ({@link
 * org.roce4j.engine.datagram.Inbound}), a train to send ({@link
 * org.roce4j.engine.datagram.Transmit}) and the path it takes ({@link
 * org.roce4j.engine.datagram.Path}). All are reused; nothing here knows a socket.
 */
package org.roce4j.engine.datagram;
