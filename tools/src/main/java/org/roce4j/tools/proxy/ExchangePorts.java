package org.roce4j.tools.proxy;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code PORT} or {@code PORT:PORT}. */
final class ExchangePorts implements ITypeConverter<Exchange.Ports> {
  private static final int MOST = 65_535;

  @Override
  public Exchange.Ports convert(String text) {
    String[] ports = text.split(":", -1);
    if (ports.length > 2) {
      throw new TypeConversionException("'" + text + "' is not PORT or PORT:PORT");
    }
    return new Exchange.Ports(port(ports[0]), port(ports[ports.length - 1]));
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      if (port > 0 && port <= MOST) {
        return port;
      }
    } catch (NumberFormatException e) {
      // The exception below says what to give.
    }
    throw new TypeConversionException("'" + text + "' is not a TCP port: 1 to " + MOST);
  }
}
