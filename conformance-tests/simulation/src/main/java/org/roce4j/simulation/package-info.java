/**
 * Devices on a virtual network under random traffic and seeded faults, judged by an oracle. The
 * oracle derives its expectations from the posted requests and the datagrams, never from the
 * engine. Entry point: {@link org.roce4j.simulation.Simulation#run}.
 */
package org.roce4j.simulation;
