package org.roce4j.verbs.text;

import java.net.InetSocketAddress;
import java.util.Locale;

/** Text with values in it, for people, scripts and tests: the same on every machine. */
public final class Wording {
  private Wording() {}

  /**
   * The text of {@link String#format}, with the digits and the decimal point that programs read,
   * whatever the language of the machine.
   */
  public static String of(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** An address and its port, such as {@code 10.0.0.1:7471}; {@code ?} for null. */
  public static String endpoint(InetSocketAddress address) {
    return address == null ? "?" : address.getAddress().getHostAddress() + ":" + address.getPort();
  }
}
