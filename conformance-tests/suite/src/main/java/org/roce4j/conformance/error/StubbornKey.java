package org.roce4j.conformance.error;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.MwType;

/** Keys that LOCAL_INV and SEND_WITH_INV cannot invalidate. */
enum StubbornKey {
  UNKNOWN("an unknown key"),
  REGION("the key of a region"),
  TYPE_1("the key of a window of type 1"),
  UNBOUND("the key of a window that is not bound");

  private final String words;

  StubbornKey(String words) {
    this.words = words;
  }

  int at(Station station) {
    return switch (this) {
      case UNKNOWN -> Bench.noKey(station);
      case REGION -> station.region().rkey();
      case TYPE_1 -> station.pd().allocMemoryWindow(MwType.TYPE_1).rkey();
      case UNBOUND -> station.pd().allocMemoryWindow(MwType.TYPE_2).rkey();
    };
  }

  /** The ways to an error, one for each key. */
  static List<ErrorCase.Way> ways(BiFunction<Bench, StubbornKey, ErrorCase.Scene> provocation) {
    return Arrays.stream(values())
        .map(
            key -> new ErrorCase.Way(key.name(), key.words, bench -> provocation.apply(bench, key)))
        .toList();
  }
}
