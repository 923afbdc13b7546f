package org.roce4j.tools.options;

import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.VerbsException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a fault plan. */
public final class FaultPlanConverter implements ITypeConverter<FaultPlan> {
  @Override
  public FaultPlan convert(String value) {
    try {
      return FaultPlan.parse(value);
    } catch (VerbsException e) {
      throw new TypeConversionException(e.remedy());
    }
  }
}
