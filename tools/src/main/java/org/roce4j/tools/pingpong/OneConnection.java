package org.roce4j.tools.pingpong;

import java.net.InetAddress;
import java.util.List;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.peer.PeerConnection;

/** The exchange of every service but XRC: one connection, which ends before the game begins. */
final class OneConnection implements PeerExchange {
  private final PingPongExchange exchange;
  private final PingPongService service;
  private final PingPongPlan plan;

  OneConnection(PeerConnection connection, PingPongOptions options) {
    this.exchange = new PingPongExchange(connection);
    this.service = options.service();
    this.plan = options.plan();
  }

  @Override
  public InetAddress localAddress() {
    return exchange.localAddress();
  }

  @Override
  public InetAddress addressForDevice() {
    return exchange.addressForDevice();
  }

  @Override
  public void asServer(PingPongPlayer player) {
    player.side().connect(peers());
    player.start();
    tell(player);
    exchange.awaitDone();
    exchange.hangUp();
  }

  @Override
  public void asClient(PingPongPlayer player) {
    tell(player);
    List<ExchangedAddress> peers = peers();
    exchange.sayDone();
    exchange.hangUp();
    player.side().connect(peers);
    player.start();
  }

  private void tell(PingPongPlayer player) {
    exchange.send(player.side().addresses(), service.exchangedMessages());
  }

  private List<ExchangedAddress> peers() {
    return exchange.receive(service.exchangedMessages(), plan.qps(), service.program());
  }

  /** The programs end without a farewell. */
  @Override
  public void part(PingPongPlayer player, Interruption interruption) {}

  @Override
  public void close() {
    exchange.close();
  }
}
