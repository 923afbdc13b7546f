package org.roce4j.wire.view;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.wire.mad.CmAttribute;

/**
 * A header's fields and the bits of each, from the tables {@code fields.txt} and {@code
 * messages.txt} beside this class.
 */
record HeaderLayout(String title, List<Field> fields) {
  /**
   * A field.
   *
   * @param key its name for filters: in extension headers the key that {@code inspect --json} uses
   * @param firstBit from the most significant bit of the header's first byte
   * @param format how its value is written: {@code dec}, {@code hex}, {@code flag}, {@code ip4},
   *     {@code ip6}, {@code ecn}, {@code opcode}, {@code syndrome}; in messages also {@code data},
   *     {@code gid}, {@code mtu}, {@code reason} or {@code timeout}
   * @param says its purpose, or empty
   */
  record Field(String key, String name, int firstBit, int bits, String format, String says) {}

  /**
   * The layouts by header name: {@code IPV4}, {@code UDP}, {@code BTH}, {@code ICRC}, and others.
   */
  static Map<String, HeaderLayout> all() {
    return read("fields.txt");
  }

  /**
   * The layouts of management datagrams by name: {@code MAD} for their header, each {@link
   * CmAttribute} for what follows it, {@code ADDRESSES} for what rdma_cm puts in front of private
   * data.
   */
  static Map<String, HeaderLayout> messages() {
    return read("messages.txt");
  }

  private static Map<String, HeaderLayout> read(String table) {
    Map<String, HeaderLayout> all = new LinkedHashMap<>();
    List<Field> fields = List.of();
    for (String line : resource(table).lines().toList()) {
      if (Character.isDigit(line.charAt(0))) {
        fields.add(field(line));
      } else if (line.charAt(0) != '#') {
        fields = new ArrayList<>();
        String[] header = line.split(" ", 2);
        all.put(header[0], new HeaderLayout(header[1], fields));
      }
    }
    return all;
  }

  private static Field field(String line) {
    String[] halves = line.split(" \\|", 2);
    String[] words = halves[0].split(" ", 5);
    return new Field(
        words[3],
        words[4],
        Integer.parseInt(words[0]),
        Integer.parseInt(words[1]),
        words[2],
        halves[1].strip());
  }

  /** A text file beside this class. */
  static String resource(String name) {
    try (InputStream in = HeaderLayout.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
