/** UDP by Netty. */
module org.roce4j.port.netty {
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.unix.common;
  requires jdk.net;
  requires org.roce4j.port;

  provides org.roce4j.port.PortProvider with
      org.roce4j.port.netty.NettyPortProvider;
}
