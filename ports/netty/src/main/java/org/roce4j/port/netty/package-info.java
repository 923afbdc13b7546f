/**
 * A port on Netty's datagram channels, for systems where the Linux port does not work: epoll with
 * segmentation offload where Netty's native library loads, NIO elsewhere. The only package that
 * knows Netty. Its door is {@link org.roce4j.port.netty.NettyPortProvider}.
 */
package org.roce4j.port.netty;
