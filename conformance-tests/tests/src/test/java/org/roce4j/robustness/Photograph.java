package org.roce4j.robustness;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * An object and everything that it refers to: the number of objects of each of the project's
 * classes, and the sum of each of their numeric and boolean fields.
 */
final class Photograph {
  private final Map<String, Long> sums = new TreeMap<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> left = new ArrayDeque<>();

  private Photograph(Object whole) {
    look(whole);
    while (!left.isEmpty()) {
      take(left.pop());
    }
  }

  static Map<String, Long> of(Object whole) {
    return new Photograph(whole).sums;
  }

  private void look(Object object) {
    if (object != null && !(object instanceof Enum<?>) && seen.add(object)) {
      left.push(object);
    }
  }

  private void take(Object object) {
    switch (object) {
      case Map<?, ?> map -> {
        map.keySet().forEach(this::look);
        map.values().forEach(this::look);
      }
      case Collection<?> collection -> collection.forEach(this::look);
      case AtomicReference<?> reference -> look(reference.get());
      case AtomicReferenceArray<?> array -> {
        for (int i = 0; i < array.length(); i++) {
          look(array.get(i));
        }
      }
      case Object[] array -> {
        for (Object each : array) {
          look(each);
        }
      }
      case int[] array -> {
        for (int each : array) {
          add("int[]", each);
        }
      }
      default -> fields(object);
    }
  }

  private void fields(Object object) {
    String name = object.getClass().getName();
    if (!name.startsWith("org.roce4j.") || object.getClass().isHidden()) {
      return;
    }
    add(name, 1);
    for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          field(object, field);
        }
      }
    }
  }

  private void field(Object object, Field field) {
    try {
      field.setAccessible(true);
      Object value = field.get(object);
      switch (value) {
        case Boolean truth when field.getType().isPrimitive() -> add(nameOf(field), truth ? 1 : 0);
        case Number number when field.getType().isPrimitive() ->
            add(nameOf(field), number.longValue());
        case null, default -> look(value);
      }
    } catch (IllegalAccessException e) {
      throw new AssertionError("it was made accessible", e);
    }
  }

  private static String nameOf(Field field) {
    return field.getDeclaringClass().getName() + "." + field.getName();
  }

  private void add(String what, long number) {
    sums.merge(what, number, Long::sum);
  }
}
