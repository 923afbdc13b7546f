/**
 * {@code roce4j pingpong}: both ends in one process, or one end that pairs with {@code
 * ibv_rc_pingpong}. Entry point: {@link org.roce4j.tools.pingpong.PingPongCommand}; the protocol is
 * that of {@code docs/pingpong-protocol.md}.
 *
 * <p>Order of reading: {@code PingPongCommand} (options) makes a {@code PingPongRun} (which
 * devices, which ends), {@code PeerExchange} exchanges their addresses, {@code PingPongSide}
 * connects them, {@code PingPongPlayer} plays, {@code PingPongReport} tells.
 */
package org.roce4j.tools.pingpong;
