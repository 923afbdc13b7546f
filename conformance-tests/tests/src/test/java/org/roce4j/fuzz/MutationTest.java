package org.roce4j.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The targets over a bounded number of mutations of well-formed packets; the seed is printed. */
class MutationTest {
  private static final List<byte[]> PACKETS = packets();

  private static List<byte[]> packets() {
    try (InputStream in = MutationTest.class.getResourceAsStream("packets.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(HexFormat.of()::parseHex)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Property(tries = 400)
  void noMutatedPacketsHarmADevice(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ByteBuffer input = ByteBuffer.allocate(1 << 16);
    int datagrams = 1 + random.nextInt(24);
    for (int i = 0; i < datagrams; i++) {
      byte[] packet = mutated(random);
      if (input.remaining() < packet.length + 3) {
        break;
      }
      input.putShort((short) packet.length).put((byte) random.nextInt(256)).put(packet);
    }
    byte[] bytes = new byte[input.position()];
    input.get(0, bytes);
    new EngineFuzzTest().noDatagramsHarmADevice(bytes);
  }

  @Property(tries = 5000)
  void everyMutatedPacketIsJudged(@ForAll long seed) {
    byte[] packet = mutated(new SplittableRandom(seed));
    new InboundPacketFuzzTest().anyBytesAreJudgedAndWhatIsTakenLiesWithinThem(packet);
  }

  private static byte[] mutated(SplittableRandom random) {
    byte[] original = PACKETS.get(random.nextInt(PACKETS.size()));
    List<Byte> bytes = new ArrayList<>();
    for (byte b : original) {
      bytes.add(b);
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      int at = random.nextInt(Math.min(bytes.size(), 40));
      switch (random.nextInt(4)) {
        case 0 -> bytes.set(at, (byte) random.nextInt(256));
        case 1 -> bytes.set(at, (byte) (bytes.get(at) ^ 1 << random.nextInt(8)));
        case 2 -> bytes.subList(Math.max(1, random.nextInt(bytes.size())), bytes.size()).clear();
        default -> bytes.addAll(at, List.of((byte) 0, (byte) 0xff, (byte) 0, (byte) 0x80));
      }
    }
    byte[] result = new byte[bytes.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = bytes.get(i);
    }
    return result;
  }
}
