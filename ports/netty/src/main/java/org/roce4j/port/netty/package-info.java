/**
 * A port on Netty's datagram channels, for systems on which the Linux port does not work: epoll
 * with segmentation offload if Netty's native library loads, else NIO. The only package that uses
 * Netty. Its entry point is {@link org.roce4j.port.netty.NettyPortProvider}.
 */
package org.roce4j.port.netty;
