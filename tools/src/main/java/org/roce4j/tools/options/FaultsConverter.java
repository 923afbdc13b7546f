package org.roce4j.tools.options;

import org.roce4j.emulator.Faults;
import org.roce4j.verbs.VerbsException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a whole plan of faults: links, datagrams, verbs. */
public final class FaultsConverter implements ITypeConverter<Faults> {
  @Override
  public Faults convert(String value) {
    try {
      return Faults.parse(value);
    } catch (VerbsException e) {
      throw new TypeConversionException(e.remedy());
    }
  }
}
