package org.roce4j.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/** Holds for a class whose imports within the project are all allowed by its package's row. */
final class ImportOnlyRowsBelow extends ArchCondition<JavaClass> {

  ImportOnlyRowsBelow() {
    super("import only the rows below them (Floors)");
  }

  @Override
  public void check(JavaClass item, ConditionEvents events) {
    String from = Floors.rowOf(item.getPackageName()).orElse(null);
    if (from == null) {
      return; // another test reports a package without a row
    }
    for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
      Floors.rowOf(dependency.getTargetClass().getPackageName())
          .filter(to -> !Floors.mayImport(from, to))
          .ifPresent(
              to ->
                  events.add(
                      SimpleConditionEvent.violated(
                          dependency,
                          from + " may not import " + to + ": " + dependency.getDescription())));
    }
  }
}
