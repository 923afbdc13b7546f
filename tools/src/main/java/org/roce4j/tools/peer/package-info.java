/**
 * The TCP connection between two programs that prepare to use RDMA. Each of its failures is one
 * line of text. Entry point: {@link org.roce4j.tools.peer.PeerConnection}.
 */
package org.roce4j.tools.peer;
