package org.roce4j.port;

import org.roce4j.engine.datagram.Inbound;

/** Takes received datagrams; the argument is reused after the call. */
@FunctionalInterface
public interface DatagramSink {
  void datagram(Inbound inbound);
}
