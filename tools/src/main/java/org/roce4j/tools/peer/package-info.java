/**
 * The TCP connection between two programs that prepare to use RDMA; each of its failures is one
 * line. Entry point: {@link org.roce4j.tools.peer.PeerConnection}.
 */
package org.roce4j.tools.peer;
