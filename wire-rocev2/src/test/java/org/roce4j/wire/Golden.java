package org.roce4j.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The golden vectors under {@code src/test/resources/golden}. */
public final class Golden {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Golden() {}

  /** A vector that prints as its name. */
  public record Vector(String name, JsonNode json) {
    public String text(String field) {
      return json.get(field).asText();
    }

    public int number(String object, String field) {
      return json.get(object).get(field).asInt();
    }

    public boolean flag(String object, String field) {
      return number(object, field) != 0;
    }

    public ByteBuffer bytes(String field) {
      return hex(text(field));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Every packet over IPv4 and IPv6. */
  public static Stream<Vector> packets() {
    return Stream.of("packets-ipv4", "packets-ipv6").flatMap(file -> list(file, "vectors"));
  }

  public static Stream<Vector> icrcs() {
    return list("icrc-vectors", "vectors");
  }

  public static Stream<Vector> opcodes() {
    return list("opcodes", "opcodes");
  }

  /** A direct big-endian buffer, as the data path uses. */
  public static ByteBuffer hex(String digits) {
    byte[] bytes = HexFormat.of().parseHex(digits);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  public static int ipHeaderSize(ByteBuffer packet) {
    return packet.get(0) >>> 4 == 4 ? 20 : 40;
  }

  private static Stream<Vector> list(String file, String array) {
    try (InputStream in = Golden.class.getResourceAsStream("/golden/" + file + ".json")) {
      JsonNode nodes = JSON.readTree(in).get(array);
      return StreamSupport.stream(nodes.spliterator(), false)
          .map(node -> new Vector(node.get("name").asText(), node));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
