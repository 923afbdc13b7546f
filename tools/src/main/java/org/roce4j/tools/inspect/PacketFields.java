package org.roce4j.tools.inspect;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.FlowPosition;
import org.roce4j.wire.inspect.InspectedPacket;
import org.roce4j.wire.mad.Mad;

/**
 * The fields of a packet under the names that {@code --json} prints and {@code --filter} asks for.
 * A field that a packet does not have is absent.
 */
final class PacketFields {
  private static final String HIGH = "High";
  private static final String LOW = "Low";

  private PacketFields() {}

  static Map<String, Object> of(InspectedPacket packet) {
    Map<String, Object> fields = new LinkedHashMap<>();
    String[] number = packet.number().split("/");
    fields.put("number", Long.valueOf(number[0]));
    if (number.length > 1) {
      fields.put("part", Long.valueOf(number[1]));
    }
    fields.put("time", new BigDecimal(packet.time()));
    if (!packet.interfaceName().isEmpty()) {
      fields.put("interface", packet.interfaceName());
    }
    String[] ends = packet.endpoints().split(" > ");
    fields.put("source", ends[0]);
    fields.put("destination", ends[ends.length - 1]);
    fields.put("icrc", packet.icrc());
    if (packet.dissection() instanceof Dissection.Roce(RocePacket roce)) {
      base(fields, roce.bth());
      fields.put("payload", roce.payload().length());
      roce.extensions().forEach(extension -> header(fields, extension));
      message(fields, packet.mad());
    } else {
      fields.put("what", packet.dissection().toString());
    }
    position(fields, packet.position());
    if (!packet.comment().isEmpty()) {
      fields.put("comment", packet.comment());
    }
    return fields;
  }

  private static void base(Map<String, Object> fields, BaseHeader bth) {
    fields.put("service", bth.opcode().transport().name());
    fields.put("opcode", bth.opcode().name());
    fields.put("qpn", bth.destQp());
    fields.put("psn", bth.psn());
    fields.put("ackReq", bth.ackReq());
    fields.put("solicited", bth.solicited());
    fields.put("fecn", bth.fecn());
    fields.put("becn", bth.becn());
    fields.put("pkey", bth.pkey());
  }

  private static void position(Map<String, Object> fields, FlowPosition position) {
    if (position.relativePsn() != FlowPosition.UNKNOWN) {
      fields.put("relativePsn", position.relativePsn());
    }
    fields.put("mark", position.mark().word());
    if (position.gap() != 0) {
      fields.put("gap", position.gap());
    }
  }

  /** The fields of an extension header, as the specification names them: {@code reth.va}. */
  private static void header(Map<String, Object> fields, Extension extension) {
    String name = extension.header().name().replace("_", "").toLowerCase(Locale.ROOT);
    components(fields, name + ".", extension);
  }

  /** The fields of a connection manager's message, as {@code cm.localId}. */
  private static void message(Map<String, Object> fields, Mad mad) {
    if (mad != null) {
      fields.put("cm.message", mad.message().attribute().name());
      fields.put("cm.transactionId", unsigned(mad.header().transactionId()));
      components(fields, "cm.", mad.message());
    }
  }

  /**
   * The components of a record; those of a nested record have its name and a dot in front, and the
   * halves of a GID are one address.
   */
  private static void components(Map<String, Object> fields, String prefix, Object record) {
    long high = 0;
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      String name = prefix + component.getName();
      switch (value(component, record)) {
        case Record inner -> components(fields, name + ".", inner);
        case Bytes bytes -> fields.put(name, bytes.toString());
        case Long half when name.endsWith(HIGH) -> high = half;
        case Long half when name.endsWith(LOW) ->
            fields.put(
                name.substring(0, name.length() - LOW.length()),
                GidAddress.addressText(high, half));
        case Object value -> fields.put(name, unsigned(value));
      }
    }
  }

  private static Object value(RecordComponent component, Object record) {
    try {
      return component.getAccessor().invoke(record);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("a public record cannot be read", e);
    }
  }

  /** Headers hold no negative numbers. */
  private static Object unsigned(Object value) {
    return switch (value) {
      case Integer number -> Integer.toUnsignedLong(number);
      case Long number when number < 0 -> new BigInteger(Long.toUnsignedString(number));
      default -> value;
    };
  }
}
