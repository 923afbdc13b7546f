package org.roce4j.simulation;

import org.roce4j.verbs.Gid;

/**
 * Where an unreliable datagram comes from and goes to.
 *
 * @param from address of the sender, whose queue pair has {@code fromQp}
 * @param to an address, or a group
 * @param rightKey whether it bears the Q_Key that its receivers ask for
 */
record Datagram(Gid from, int fromQp, Gid to, int trafficClass, boolean rightKey) {}
