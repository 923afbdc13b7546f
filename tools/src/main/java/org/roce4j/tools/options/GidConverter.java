package org.roce4j.tools.options;

import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an address literal. */
public final class GidConverter implements ITypeConverter<Gid> {
  @Override
  public Gid convert(String value) {
    try {
      return Gid.parse(value);
    } catch (VerbsException e) {
      throw new TypeConversionException(e.remedy());
    }
  }
}
