/**
 * What is in flight to a peer: the window that all queue pairs with that peer share, the round trip
 * that was measured, and who waits for room.
 */
package org.roce4j.engine.path;
