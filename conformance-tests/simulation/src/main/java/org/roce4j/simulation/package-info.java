/**
 * Devices on a virtual network under random traffic and seeded faults, and an oracle that stands
 * beside the machines: what it expects it derives from what was posted and from the datagrams it
 * sees, never from the engine. In at {@link org.roce4j.simulation.Simulation#run}.
 */
package org.roce4j.simulation;
