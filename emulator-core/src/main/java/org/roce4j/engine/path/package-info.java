/**
 * The path to a peer: the window that all queue pairs with that peer share, the measured round
 * trip, and the queue pairs that wait for room.
 */
package org.roce4j.engine.path;
