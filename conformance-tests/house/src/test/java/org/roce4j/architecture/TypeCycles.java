package org.roce4j.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The cycles among the types of a package: sets of types that all depend on one another, directly
 * or indirectly (strongly connected components, after Tarjan). A nested type counts as its
 * outermost type. The names that a sealed type permits do not count: a sealed type and its heirs
 * are one concept.
 */
final class TypeCycles {
  private final Map<String, Set<String>> dependencies = new TreeMap<>();
  private final Map<String, Integer> order = new HashMap<>();
  private final Map<String, Integer> lowest = new HashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final List<Set<String>> knots = new ArrayList<>();

  private TypeCycles(JavaClasses classes, String packageName) {
    for (JavaClass type : classes) {
      if (type.getPackageName().equals(packageName)) {
        Set<String> to =
            dependencies.computeIfAbsent(outermost(type).getName(), any -> new TreeSet<>());
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
          JavaClass target = outermost(dependency.getTargetClass().getBaseComponentType());
          if (target.getPackageName().equals(packageName)) {
            to.add(target.getName());
          }
        }
      }
    }
    for (String type : dependencies.keySet()) {
      if (!order.containsKey(type)) {
        visit(type);
      }
    }
  }

  /** The cycles of more than {@code most} types in a package, as simple names. */
  static List<Set<String>> above(int most, JavaClasses classes, String packageName) {
    return new TypeCycles(classes, packageName)
        .knots.stream().filter(knot -> knot.size() > most).toList();
  }

  private void visit(String type) {
    order.put(type, order.size());
    lowest.put(type, order.get(type));
    open.push(type);
    for (String next : dependencies.getOrDefault(type, Set.of())) {
      if (!order.containsKey(next)) {
        visit(next);
        lowest.merge(type, lowest.get(next), Math::min);
      } else if (open.contains(next)) {
        lowest.merge(type, order.get(next), Math::min);
      }
    }
    if (lowest.get(type).equals(order.get(type))) {
      Set<String> knot = new TreeSet<>();
      String last;
      do {
        last = open.pop();
        knot.add(last.substring(last.lastIndexOf('.') + 1));
      } while (!last.equals(type));
      knots.add(knot);
    }
  }

  private static JavaClass outermost(JavaClass type) {
    JavaClass outer = type;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer;
  }
}
