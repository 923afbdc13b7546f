/**
 * The data that crosses the lower edge of the engine: a received datagram ({@link
 * org.roce4j.engine.datagram.Inbound}), a train to send ({@link
 * org.roce4j.engine.datagram.Transmit}) and its path ({@link org.roce4j.engine.datagram.Path}). The
 * objects are reused and know no socket.
 */
package org.roce4j.engine.datagram;
