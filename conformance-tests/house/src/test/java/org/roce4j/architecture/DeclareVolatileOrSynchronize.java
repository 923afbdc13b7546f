package org.roce4j.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.MonitorInstruction;

/**
 * Holds for a class with a volatile field, a synchronized method or a synchronized block. A block
 * shows only in the byte code, so the methods are searched for its instruction.
 */
final class DeclareVolatileOrSynchronize extends ArchCondition<JavaClass> {

  DeclareVolatileOrSynchronize() {
    super("declare volatile fields or synchronize");
  }

  @Override
  public void check(JavaClass item, ConditionEvents events) {
    item.getFields().stream()
        .filter(field -> field.getModifiers().contains(JavaModifier.VOLATILE))
        .forEach(field -> add(events, item, field.getDescription() + " is volatile"));
    item.getMethods().stream()
        .filter(method -> method.getModifiers().contains(JavaModifier.SYNCHRONIZED))
        .forEach(method -> add(events, item, method.getDescription() + " is synchronized"));
    for (MethodModel method : parse(item).methods()) {
      if (method.code().stream()
          .flatMap(code -> code.elementStream())
          .anyMatch(MonitorInstruction.class::isInstance)) {
        String name = item.getName() + "." + method.methodName().stringValue();
        add(events, item, name + " has a synchronized block");
      }
    }
  }

  private static ClassModel parse(JavaClass item) {
    try (InputStream in = item.getSource().orElseThrow().getUri().toURL().openStream()) {
      return ClassFile.of().parse(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void add(ConditionEvents events, JavaClass item, String message) {
    events.add(SimpleConditionEvent.satisfied(item, message));
  }
}
