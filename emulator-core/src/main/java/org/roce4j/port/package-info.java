/**
 * The engine's lower neighbour: a {@link org.roce4j.port.Port} carries trains out and datagrams in,
 * seals and judges the ICRC, and is driven by a {@code DutyCycle}. Ports are found by {@link
 * java.util.ServiceLoader}.
 */
package org.roce4j.port;
