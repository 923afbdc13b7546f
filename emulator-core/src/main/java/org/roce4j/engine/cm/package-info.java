/**
 * The connection manager: states of connections over management datagrams (InfiniBand volume 1,
 * chapter 12, as Linux's {@code ib_cm} behaves). In the data's way it stands beside queue pair 1:
 * datagrams, calls and time go in, datagrams and events come out. It sees no queue pair; it is told
 * their numbers.
 *
 * <p>{@link org.roce4j.engine.cm.ConnectionManager} is the door, one for each device; {@link
 * org.roce4j.engine.cm.Reactions} is the table of what an end does about a message in each state.
 * Everything is confined to the owner of the engine that has queue pair 1.
 */
package org.roce4j.engine.cm;
