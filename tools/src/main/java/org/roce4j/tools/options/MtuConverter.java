package org.roce4j.tools.options;

import org.roce4j.verbs.Mtu;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a path MTU. */
public final class MtuConverter implements ITypeConverter<Mtu> {
  @Override
  public Mtu convert(String value) {
    Mtu mtu;
    try {
      mtu = Mtu.ofBytes(Integer.parseInt(value));
    } catch (NumberFormatException e) {
      mtu = null;
    }
    if (mtu == null) {
      throw new TypeConversionException("'" + value + "' is not 256, 512, 1024, 2048 or 4096");
    }
    return mtu;
  }
}
