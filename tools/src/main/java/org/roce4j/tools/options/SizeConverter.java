package org.roce4j.tools.options;

import org.roce4j.options.Quantity;
import org.roce4j.verbs.VerbsException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads bytes, plain or with a unit: {@code 4096}, {@code 64KiB}, {@code 64k}, {@code 1M}. */
public final class SizeConverter implements ITypeConverter<Long> {
  @Override
  public Long convert(String value) {
    try {
      return Quantity.SIZE.read(value);
    } catch (VerbsException e) {
      throw new TypeConversionException("'" + value + "': " + e.remedy());
    }
  }
}
