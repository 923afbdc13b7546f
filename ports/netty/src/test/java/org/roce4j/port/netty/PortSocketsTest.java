package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.ChannelException;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** Sockets of a port that cannot be opened, and others that cannot be closed. */
class PortSocketsTest implements SocketFactory {
  private static final Gid ONE = Gid.parse("10.0.0.1");
  private static final Gid TWO = Gid.parse("10.0.0.2");
  private static final Gid THREE = Gid.parse("10.0.0.3");
  private static final Gid GROUP = Gid.parse("239.1.2.3");

  private final List<Gid> closed = new ArrayList<>();

  /** The address whose socket cannot be opened. */
  private Gid refused;

  private Exception refusal = new IOException("planted");

  private NettySocket socket(Gid gid) {
    return new NotingSocket(new EmbeddedChannel(), gid, false) {
      @Override
      void closeUnderneath() throws IOException {
        closed.add(gid);
        throw new IOException("planted");
      }
    };
  }

  @Override
  public NettySocket open(PortOptions options, long high, long low) throws IOException {
    Gid gid = new Gid(high, low);
    if (gid.equals(refused)) {
      if (refusal instanceof RuntimeException e) {
        throw e;
      }
      throw (IOException) refusal;
    }
    return socket(gid);
  }

  @Override
  public NettySocket openGroup(PortOptions options, long high, long low, NettySocket member) {
    return socket(new Gid(high, low));
  }

  private PortSockets of(Gid... addresses) {
    return new PortSockets(PortOptions.of(List.of(addresses)), this);
  }

  /** Although their closing fails, too. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whereOneCannotBeOpenedTheOthersAreClosed(boolean ofNetty) {
    refused = THREE;
    if (ofNetty) {
      refusal = new ChannelException("planted");
    }
    VerbsException e = assertThrows(VerbsException.class, () -> of(ONE, TWO, THREE));
    assertEquals(Errno.EIO, e.errno());
    assertSame(refusal, e.getCause());
    assertEquals(List.of(ONE, TWO), closed);
  }

  @Test
  void groupsAreClosedAsWell() throws IOException {
    PortSockets sockets = of(ONE, TWO);
    sockets.join(GROUP, TWO);
    sockets.closeUnderneath();
    assertEquals(List.of(ONE, TWO, GROUP), closed);
  }

  @Test
  void aPathHasTheSocketOfItsLocalAddress() throws IOException {
    PortSockets sockets = of(ONE, TWO);
    sockets.join(GROUP, TWO);
    assertSame(sockets.addresses().getLast(), sockets.of(NumberedDatagrams.path(TWO, ONE, 0, 64)));
    assertNull(sockets.of(NumberedDatagrams.path(THREE, ONE, 0, 64)));
    assertNull(sockets.of(NumberedDatagrams.path(GROUP, ONE, 0, 64)));
  }

  @Override
  public String name() {
    return "played";
  }

  @Override
  public IoHandlerFactory handlers() {
    throw new UnsupportedOperationException("nothing is read here");
  }

  @Override
  public boolean trains() {
    return false;
  }

  @Override
  public IdentificationRule singles() {
    return IdentificationRule.ZERO;
  }
}
