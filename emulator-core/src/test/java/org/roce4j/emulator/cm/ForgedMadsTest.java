package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.cm.PeerMessages;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.FabricPort;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.PKey;
import org.roce4j.wire.Psn;
import org.roce4j.wire.UdpSourcePort;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.Rtu;

/** Datagrams of a stranger to queue pair 1 of a device. */
class ForgedMadsTest {
  private static final Gid VICTIM = Gid.parse("10.0.0.2");
  private static final Gid STRANGER = Gid.parse("10.0.0.66");
  private static final int PORT = 7471;

  /** The byte of a REQ that holds the type of service, and the byte that holds its extension. */
  private static final int SERVICE_AT = 67;

  private static final int EXTENSION_AT = 75;

  private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  private final Context device = network.device("b", VICTIM).open();
  private final FabricPort stranger = network.fabric().attach(List.of(STRANGER));
  private final Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), 1);
  private final RdmaCm cm = RdmaCm.open(device);
  private final EventChannel channel = cm.createEventChannel();

  @AfterEach
  void close() {
    cm.close();
    device.close();
    network.close();
  }

  private void send(Opcode opcode, int pkey, int qkey, Mad mad) {
    MadPacket.put(train, MadPacket.path(STRANGER, VICTIM), opcode, pkey, qkey, mad);
    stranger.send(train);
  }

  private void pass() {
    channel.getCmEvent(TimeUnit.MILLISECONDS.toNanos(10));
  }

  private long counter(String name) {
    return device.counters().get(name);
  }

  private int answers() {
    int[] count = new int[1];
    stranger.receive(_ -> count[0]++, 1 << 20);
    return count[0];
  }

  private static Mad release() {
    return new Dreq(1, 2, 3, Bytes.NONE).in(4);
  }

  private static Mad request(int id) {
    return request(PortSpace.TCP, id);
  }

  private static Mad request(PortSpace ps, int id) {
    return PeerMessages.request(
            id,
            ps.serviceId(PORT),
            id,
            id & 0xFF_FFFF,
            MadPacket.primary(STRANGER, VICTIM, 17),
            MadPacket.addresses(STRANGER, VICTIM, 1))
        .in(id);
  }

  @Test
  void aReleaseOfWhatNobodyKnowsIsConfirmed() {
    send(Opcode.UD_SEND_ONLY, PKey.DEFAULT, Mad.QKEY, release());
    pass();
    assertEquals(1, answers());
  }

  /** As the PSNs of any sending queue pair: a receiver could tell which message was lost. */
  @Test
  void messagesAreNumberedOneByOne() {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      send(Opcode.UD_SEND_ONLY, PKey.DEFAULT, Mad.QKEY, release());
      pass();
      stranger.receive(in -> numbers.add(Bth.psn(in.buffer(), in.at())), 8);
    }
    int first = numbers.getFirst();
    assertEquals(IntStream.range(0, 5).mapToObj(i -> Psn.add(first, i)).toList(), numbers);
  }

  /** As those of a queue pair with number 1: nothing is acknowledged, and one flow has one port. */
  @Test
  void messagesAreDatagramsOfQueuePairOne() {
    List<String> seen = new ArrayList<>();
    send(Opcode.UD_SEND_ONLY, PKey.DEFAULT, Mad.QKEY, release());
    pass();
    stranger.receive(in -> seen.add(in.sourcePort() + " " + Bth.ackReq(in.buffer(), in.at())), 8);
    assertEquals(List.of(UdpSourcePort.ofQp(Mad.QPN) + " false"), seen);
  }

  @Test
  void anotherServiceKeyOrQkeyIsCountedAndDropped() {
    send(Opcode.UD_SEND_ONLY, PKey.DEFAULT, 0x1111_1111, release());
    send(Opcode.UD_SEND_ONLY, 0x8001, Mad.QKEY, release());
    send(Opcode.RC_SEND_ONLY, PKey.DEFAULT, 0, release());
    pass();
    assertEquals(1, counter("bad_qkey"));
    assertEquals(1, counter("bad_pkey"));
    assertEquals(1, counter("wrong_service"));
    assertEquals(0, answers());
  }

  @Test
  void randomBytesAreCountedAndAnswerNothing() {
    Random random = new Random(1);
    ByteBuffer bytes = ByteBuffer.allocate(Mad.SIZE);
    for (int i = 0; i < 2000; i++) {
      release().emit(bytes, 0);
      bytes.put(random.nextInt(18), (byte) random.nextInt());
      bytes.put(random.nextInt(18), (byte) random.nextInt());
      Mad mad = Mad.parse(bytes, 0, Mad.SIZE);
      if (mad != null) {
        send(Opcode.UD_SEND_ONLY, PKey.DEFAULT, Mad.QKEY, mad);
      }
    }
    pass();
    assertTrue(counter("rcvd_pkts") > 100);
  }

  private CmId listener(int backlog) {
    CmId listener = channel.createId(PortSpace.TCP);
    listener.bindAddr(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), PORT));
    listener.listen(backlog);
    return listener;
  }

  private void send(CmMessage message) {
    send(Opcode.UD_SEND_ONLY, PKey.DEFAULT, Mad.QKEY, message.in(1));
  }

  private Mad answer() {
    List<Mad> heard = new ArrayList<>();
    int at = OutboundPacket.payloadAt(Opcode.UD_SEND_ONLY, 0);
    stranger.receive(in -> heard.add(Mad.parse(in.buffer(), in.at() + at, Mad.SIZE)), 1);
    return heard.getFirst();
  }

  /** RD, which nobody offers, and an extension other than XRC. */
  @ParameterizedTest
  @CsvSource({
    "RC, 2, 0",
    "RC, 3, 0",
    "RC, 3, 2",
    "XRC_RECV, 2, 0",
    "XRC_RECV, 3, 0",
    "XRC_RECV, 3, 2"
  })
  void aRequestForAServiceThatIsNoneIsRejected(QpType listens, int service, int extension) {
    CmId id =
        cm.createEp(
            new AddrInfo()
                .portSpace(PortSpace.IB)
                .qpType(listens)
                .flags(AddrInfo.PASSIVE)
                .srcAddr(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), PORT)),
            null,
            null);
    id.listen(8);
    ByteBuffer bytes = ByteBuffer.allocate(Mad.SIZE);
    request(PortSpace.IB, 7).emit(bytes, 0);
    bytes.put(SERVICE_AT, (byte) (bytes.get(SERVICE_AT) & ~6 | service << 1));
    bytes.put(EXTENSION_AT, (byte) (bytes.get(EXTENSION_AT) & ~7 | extension));
    send(Opcode.UD_SEND_ONLY, PKey.DEFAULT, Mad.QKEY, Mad.parse(bytes, 0, Mad.SIZE));
    pass();
    assertEquals(28, ((Rej) answer().message()).reason());
  }

  /** Of a peer that has asked for the end, and confirms it although nobody asked that. */
  @Test
  void anEndThatItsOwnPeerConfirmsIsToldOnce() {
    listener(8);
    Req asks = (Req) request(7).message();
    send(asks);
    CmId id = channel.getCmEvent(1_000_000).id();
    id.accept(new ConnParam().qpNum(0x11));
    pass();
    Rep reply = (Rep) answer().message();
    send(new Rtu(asks.localId(), reply.localId(), Bytes.NONE));
    assertInstanceOf(CmEvent.Established.class, channel.getCmEvent(1_000_000));
    send(new Dreq(asks.localId(), reply.localId(), 0x11, Bytes.NONE));
    assertInstanceOf(CmEvent.Disconnected.class, channel.getCmEvent(1_000_000));
    send(new Drep(asks.localId(), reply.localId(), Bytes.NONE));
    assertInstanceOf(CmEvent.TimewaitExit.class, channel.getCmEvent(Long.MAX_VALUE));
  }

  @Test
  void aFloodOfRequestsFillsTheBacklogAndNoMore() {
    listener(8);
    for (int id = 1; id <= 3000; id++) {
      send(Opcode.UD_SEND_ONLY, PKey.DEFAULT, Mad.QKEY, request(id));
    }
    cm.createEventChannel().getCmEvent(TimeUnit.MILLISECONDS.toNanos(10));
    int taken = 0;
    for (var event = channel.getCmEvent(0); event != null; event = channel.getCmEvent(0)) {
      event.ack();
      taken++;
    }
    assertEquals(8, taken);
    assertEquals(3000 - 8, counter("cm_dropped"));
    assertEquals(0, answers(), "a full backlog says nothing");
  }
}
