/**
 * The TCP connection between two programs that are about to talk by RDMA, and the failures it may
 * have, in one line each. The door in: {@link org.roce4j.tools.peer.PeerConnection}.
 */
package org.roce4j.tools.peer;
