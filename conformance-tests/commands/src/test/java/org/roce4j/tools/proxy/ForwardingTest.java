package org.roce4j.tools.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.MadHeader;

/** One direction of the proxy, between ports in this class. */
class ForwardingTest {
  private static final Gid END = Gid.parse("10.0.0.1");
  private static final Gid END_THERE = Gid.parse("10.0.0.4");
  private static final Gid PEER = Gid.parse("10.0.0.3");
  private static final Gid PEER_THERE = Gid.parse("10.0.0.2");
  private static final Readdressing NAMES = new Readdressing(END, END_THERE, PEER, PEER_THERE);
  private static final int MAD_AT = Bth.SIZE + 8;

  private static final PortCapabilities CAPABILITIES =
      new PortCapabilities("here", true, 64, IdentificationRule.ZERO, true, true, true, true);

  private final List<Inbound> waiting = new ArrayList<>();

  /** Traffic class, hop limit and damage of each datagram that was sent. */
  private final List<String> sent = new ArrayList<>();

  private final Forwarding forwarding =
      new Forwarding(
          port((sink, train) -> waiting.forEach(sink::datagram)),
          port(
              (sink, train) -> {
                for (int i = 0; i < train.segments(); i++) {
                  sent.add(
                      train.path().trafficClass()
                          + " "
                          + train.path().hopLimit()
                          + (train.spoiled(i) ? " damaged" : ""));
                }
              }),
          NAMES);

  private interface Use {
    void happen(DatagramSink sink, Transmit train);
  }

  private static Port port(Use use) {
    return (Port)
        Proxy.newProxyInstance(
            Port.class.getClassLoader(),
            new Class<?>[] {Port.class},
            (self, method, arguments) -> {
              switch (method.getName()) {
                case "receive" -> use.happen((DatagramSink) arguments[0], null);
                case "send" -> use.happen(null, (Transmit) arguments[0]);
                default -> {
                  return CAPABILITIES;
                }
              }
              return method.getReturnType() == int.class ? 1 : null;
            });
  }

  private void comes(Gid source, int trafficClass, int hops, IcrcVerdict icrc) {
    waiting.add(
        new Inbound()
            .payload(ByteBuffer.allocate(64), null, 0, 64)
            .source(source.high(), source.low(), 49152)
            .network(trafficClass, hops)
            .icrc(icrc));
  }

  @Test
  void eachKeepsItsClassItsHopsAndItsDamage() {
    comes(END, 2, 60, IcrcVerdict.RIGHT);
    comes(END, 2, 61, IcrcVerdict.RIGHT);
    comes(END, 3, 61, IcrcVerdict.WRONG);
    comes(END, 3, 61, IcrcVerdict.RIGHT);
    comes(END, Inbound.UNKNOWN, Inbound.UNKNOWN, IcrcVerdict.RIGHT);
    forwarding.turn();
    assertEquals(List.of("2 60", "2 61", "3 61 damaged", "3 61", "0 64"), sent);
    assertEquals(
        "5 datagrams forwarded, 0 of them messages with addresses; 0 of others",
        forwarding.toString());
  }

  @Test
  void whatAnotherAddressSendsIsNotForwarded() {
    comes(Gid.parse("10.0.0.9"), 0, 64, IcrcVerdict.RIGHT);
    comes(Gid.parse("fd00::1"), 0, 64, IcrcVerdict.RIGHT);
    comes(new Gid(END.high() + 1, END.low()), 0, 64, IcrcVerdict.RIGHT);
    forwarding.turn();
    assertEquals(List.of(), sent);
    assertTrue(forwarding.toString().endsWith("; 3 of others"), forwarding::toString);
  }

  /** Each field of a request that names an end. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        CmPath.REQ_PRIMARY_AT + CmPath.LOCAL_GID,
        CmPath.REQ_PRIMARY_AT + CmPath.REMOTE_GID,
        CmPath.REQ_ALTERNATE_AT + CmPath.LOCAL_GID,
        CmPath.REQ_ALTERNATE_AT + CmPath.REMOTE_GID
      })
  void everyPathOfARequestIsReaddressed(int place) {
    int length = MAD_AT + Mad.SIZE + Icrc.SIZE;
    ByteBuffer datagram = ByteBuffer.allocate(length);
    datagram.put(0, (byte) Opcode.UD_SEND_ONLY.code()).put(7, (byte) Mad.QPN);
    datagram.putShort(MAD_AT + MadHeader.ATTRIBUTE_ID, (short) CmAttribute.REQ.id());
    ByteBuffer there = copy(datagram);
    datagram.put(MAD_AT + place, END.toBytes());
    there.put(MAD_AT + place, END_THERE.toBytes());
    assertFalse(NAMES.change(copy(datagram), 0, length - 4), "no message is shorter");
    assertTrue(NAMES.change(datagram, 0, length));
    assertEquals(there, datagram);
  }

  private static ByteBuffer copy(ByteBuffer of) {
    return ByteBuffer.allocate(of.capacity()).put(0, of, 0, of.capacity());
  }
}
