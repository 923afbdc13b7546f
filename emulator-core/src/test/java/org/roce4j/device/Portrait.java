package org.roce4j.device;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The state of an object, field by field: the numbers, booleans, constants and texts of it and of
 * the objects that it refers to. The content of arrays of longs is left out, because a ring keeps
 * old entries.
 */
final class Portrait {
  private final Map<String, String> features = new TreeMap<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  private Portrait(Object sitter) {
    look("", sitter);
  }

  static Portrait of(Object sitter) {
    return new Portrait(sitter);
  }

  /** The differences from another portrait, except in fields whose names match {@code but}. */
  List<String> differences(Portrait other, Pattern butFor) {
    Set<String> names = new TreeSet<>(features.keySet());
    names.addAll(other.features.keySet());
    names.removeIf(
        name ->
            butFor.matcher(name).matches()
                || Objects.equals(features.get(name), other.features.get(name)));
    return names.stream()
        .map(name -> "%s: %s, not %s".formatted(name, features.get(name), other.features.get(name)))
        .toList();
  }

  private void look(String name, Object object) {
    switch (object) {
      case null -> features.put(name, "null");
      case Number _, Boolean _, String _, Enum<?> _ -> features.put(name, object.toString());
      case Collection<?> collection -> elements(name, collection.toArray());
      case Map<?, ?> map -> {
        elements(name, map.keySet().toArray());
        elements(name + ".of", map.values().toArray());
      }
      case int[] numbers -> features.put(name, Arrays.toString(numbers));
      case Object[] array -> elements(name, array);
      default -> fields(name, object);
    }
  }

  private void elements(String name, Object[] array) {
    for (int i = 0; i < array.length; i++) {
      if (array[i] != null) {
        look("%s[%d]".formatted(name, i), array[i]);
      }
    }
  }

  private void fields(String name, Object object) {
    Class<?> type = object.getClass();
    if (!type.getName().startsWith("org.roce4j.") || type.isHidden() || !seen.add(object)) {
      return;
    }
    for (; type != Object.class; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          look(name + "." + field.getName(), valueOf(field, object));
        }
      }
    }
  }

  private static Object valueOf(Field field, Object object) {
    try {
      field.setAccessible(true);
      return field.get(object);
    } catch (IllegalAccessException e) {
      throw new AssertionError("it was made accessible", e);
    }
  }
}
