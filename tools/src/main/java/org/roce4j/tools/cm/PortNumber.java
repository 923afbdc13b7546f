package org.roce4j.tools.cm;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a port; the parser names the option that gave it. */
final class PortNumber implements ITypeConverter<Integer> {
  private static final int MOST = 0xFFFF;

  @Override
  public Integer convert(String value) {
    try {
      int port = Integer.parseInt(value);
      if (port >= 0 && port <= MOST) {
        return port;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw new TypeConversionException("a port is 0 to " + MOST + ", not '" + value + "'");
  }
}
