package org.roce4j.conformance.remote;

import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcFlags;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;

/** The meaning of words in statements: named numbers, expressions, constants of verbs. */
final class Numbers {
  private final Talk talk;
  private final Map<String, Long> marks;

  Numbers(Talk talk) {
    this(talk, new HashMap<>());
  }

  private Numbers(Talk talk, Map<String, Long> marks) {
    this.talk = talk;
    this.marks = marks;
  }

  /** The same names for another queue pair of the device. */
  Numbers of(Talk other) {
    return new Numbers(other, marks);
  }

  /** Names a number. */
  void let(String name, long value) {
    marks.put(name, value);
  }

  /** A word as an argument of {@code type}. */
  Object argument(String word, Class<?> type) {
    if (type == long.class) {
      return number(word);
    }
    if (type == Bytes.class) {
      return Bytes.of(HexFormat.of().parseHex(word));
    }
    return type == int.class ? (Object) (int) number(word) : Words.plain(word, type);
  }

  /** The value of an expression. */
  long number(String word) {
    return Expression.value(word, this::named);
  }

  private long named(String name) {
    return switch (name) {
      case "va" -> talk.subject.va(0);
      case "pattern" -> talk.subject.patternVa(0);
      case "lkey" -> talk.subject.lkey();
      case "rkey" -> talk.subject.rkey();
      case "VA" -> Talk.VA;
      case "RKEY" -> Talk.RKEY;
      case "HALF" -> Subject.HALF;
      case "srq" -> talk.subject.srqNum();
      case "SRQ" -> Talk.SRQ;
      case "QPN" -> talk.here.destQp();
      case "qpNum" -> talk.subject.qpNum();
      case "now" -> talk.d.nowNs();
      default -> {
        int dot = name.indexOf('.');
        if (dot > 0) {
          yield of(name.substring(0, dot), name.substring(dot + 1));
        }
        if (name.matches("[TR]\\d+")) {
          int code = Integer.parseInt(name.substring(1));
          yield name.startsWith("T") ? AckTimeout.ns(code) : Aeth.rnrDelayNs(code);
        }
        yield marks.containsKey(name) ? marks.get(name) : flag(name);
      }
    };
  }

  /** A number of another queue pair, or the key of a window or region. */
  private long of(String owner, String what) {
    Talk other = talk.other(owner);
    if (other != null) {
      return other.numbers.named(what);
    }
    return switch (what) {
      case "key" -> talk.subject.windowKey(owner);
      case "next" -> MemoryWindow.incrementRkey(talk.subject.windowKey(owner));
      case "lkey" -> talk.subject.lkey(owner);
      case "rkey" -> talk.subject.rkey(owner);
      default -> throw new IllegalArgumentException("no number: " + owner + "." + what);
    };
  }

  static long flag(String name) {
    for (Class<?> type : List.of(SendFlags.class, WcFlags.class, AccessFlags.class)) {
      for (var field : type.getFields()) {
        if (field.getName().equals(name) && Modifier.isStatic(field.getModifiers())) {
          try {
            return field.getInt(null);
          } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
          }
        }
      }
    }
    throw new IllegalArgumentException("no number: " + name);
  }

  /** Evaluates the words that are expressions and leaves the others. */
  String[] resolved(String[] words) {
    return Stream.of(words)
        .map(
            word -> {
              try {
                return String.valueOf(number(word));
              } catch (IllegalArgumentException name) {
                return word;
              }
            })
        .toArray(String[]::new);
  }
}
