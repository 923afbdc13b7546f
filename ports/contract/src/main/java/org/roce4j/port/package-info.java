/**
 * Ports, below the engine: a {@link org.roce4j.port.Port} sends trains and receives datagrams,
 * seals and judges ICRCs. Ports do not know engines. {@link java.util.ServiceLoader} finds their
 * providers.
 */
package org.roce4j.port;
