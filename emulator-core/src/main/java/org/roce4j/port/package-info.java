/**
 * The engine's lower neighbour: a {@link org.roce4j.port.Port} carries trains out and datagrams in,
 * seals and judges the ICRC. It knows no engine. Ports are found by {@link
 * java.util.ServiceLoader}.
 */
package org.roce4j.port;
