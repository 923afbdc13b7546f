package org.roce4j.architecture;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The call of a command reads every option that the command offers. */
@AnalyzeClasses(
    packages = {"org.roce4j.tools", "org.roce4j.benchmarks"},
    importOptions = {DoNotIncludeTests.class})
class OptionsTest {
  @ArchTest
  static void everyOptionOfACommandIsReadByItsCall(JavaClasses classes) {
    Set<String> unread = new TreeSet<>();
    int options = 0;
    for (JavaClass command : classes) {
      if (!command.isAnnotatedWith(Command.class) || command.tryGetMethod("call").isEmpty()) {
        continue;
      }
      Set<JavaField> read = fieldsReadBy(command);
      for (JavaField option : optionsOf(command)) {
        options++;
        if (!read.contains(option)) {
          unread.add(command.getSimpleName() + ": " + option.getFullName());
        }
      }
    }
    Assertions.assertTrue(options > 150, "found only " + options);
    Assertions.assertEquals(Set.of(), unread, "options that the command's call does not read");
  }

  /** A command's options: its own, its superclasses' and its mixins'. */
  private static List<JavaField> optionsOf(JavaClass owner) {
    List<JavaField> all = new ArrayList<>();
    for (JavaField field : owner.getAllFields()) {
      if (isOption(field)) {
        all.add(field);
      } else if (field.isAnnotatedWith(Mixin.class) || field.isAnnotatedWith(ArgGroup.class)) {
        all.addAll(optionsOf(field.getRawType()));
      }
    }
    return all;
  }

  /** Whether a field is an option, help options excepted, which the parser reads. */
  private static boolean isOption(JavaField field) {
    return field.isAnnotatedWith(Option.class)
            && !field.getAnnotationOfType(Option.class).usageHelp()
        || field.isAnnotatedWith(Parameters.class);
  }

  /** The fields that the call reads, directly or through the code that it calls. */
  private static Set<JavaField> fieldsReadBy(JavaClass command) {
    Set<JavaField> read = new HashSet<>();
    Set<JavaCodeUnit> known = new HashSet<>();
    Deque<JavaCodeUnit> next = new ArrayDeque<>(List.of(command.getMethod("call")));
    while (!next.isEmpty()) {
      JavaCodeUnit unit = next.remove();
      if (!known.add(unit)) {
        continue;
      }
      for (JavaFieldAccess access : unit.getFieldAccesses()) {
        if (access.getAccessType() == JavaFieldAccess.AccessType.GET) {
          access.getTarget().resolveMember().ifPresent(read::add);
        }
      }
      Stream.<JavaAccess<?>>concat(
              unit.getAccessesFromSelf().stream(), unit.getCodeUnitReferencesFromSelf().stream())
          .map(JavaAccess::getTarget)
          .filter(AccessTarget.CodeUnitAccessTarget.class::isInstance)
          .map(AccessTarget.CodeUnitAccessTarget.class::cast)
          .forEach(target -> reached(target).forEach(next::add));
    }
    return read;
  }

  /** The called code, and its overriding methods. */
  private static Stream<JavaCodeUnit> reached(AccessTarget.CodeUnitAccessTarget target) {
    Stream<JavaCodeUnit> named = target.resolveMember().stream().map(JavaCodeUnit.class::cast);
    return Stream.concat(
        named,
        target.getOwner().getAllSubclasses().stream()
            .flatMap(type -> type.getCodeUnits().stream())
            .filter(unit -> unit.getName().equals(target.getName())));
  }
}
