package org.roce4j.tools.cm;

import java.util.Locale;
import org.roce4j.verbs.cm.PortSpace;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a port space by name, {@code udp}, or by its number, {@code 0x111}. */
final class PortSpaceConverter implements ITypeConverter<PortSpace> {
  @Override
  public PortSpace convert(String value) {
    for (PortSpace each : PortSpace.values()) {
      if (each.name().equals(value.toUpperCase(Locale.ROOT)) || isNumber(value, each)) {
        return each;
      }
    }
    throw new TypeConversionException("'" + value + "' is no port space: tcp, udp, ib or ipoib");
  }

  private static boolean isNumber(String value, PortSpace space) {
    try {
      return Integer.decode(value) == space.value();
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
