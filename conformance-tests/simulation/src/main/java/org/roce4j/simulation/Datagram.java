package org.roce4j.simulation;

import org.roce4j.verbs.Gid;

/**
 * The addressing of an unreliable datagram.
 *
 * @param from address of the sender
 * @param fromQp number of the sender's queue pair
 * @param to an address or a multicast group
 * @param trafficClass traffic class of the packet
 * @param rightKey whether its Q_Key is the receivers'
 */
record Datagram(Gid from, int fromQp, Gid to, int trafficClass, boolean rightKey) {}
