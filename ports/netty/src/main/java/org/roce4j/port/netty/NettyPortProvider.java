package org.roce4j.port.netty;

import io.netty.channel.epoll.Epoll;
import java.util.Optional;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.PortProvider;

/** Opens ports on Netty: on its epoll transport if that loads, else on NIO. */
public final class NettyPortProvider implements PortProvider {
  private final boolean nativeAllowed;

  public NettyPortProvider() {
    this(true);
  }

  /**
   * @param nativeAllowed false: NIO even if epoll works
   */
  NettyPortProvider(boolean nativeAllowed) {
    this.nativeAllowed = nativeAllowed;
  }

  @Override
  public String name() {
    return "netty";
  }

  @Override
  public int priority() {
    return 50;
  }

  @Override
  public Optional<String> unavailable() {
    return Optional.empty();
  }

  @Override
  public Port open(PortOptions options) {
    return new NettyPort(
        options, nativeAllowed && Epoll.isAvailable() ? new EpollSockets() : new NioSockets());
  }
}
