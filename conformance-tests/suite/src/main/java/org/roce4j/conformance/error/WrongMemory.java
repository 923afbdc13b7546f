package org.roce4j.conformance.error;

import java.util.List;
import java.util.function.BiFunction;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;

/** Ways in which a key, or a range of its memory, is wrong for a queue pair. */
enum WrongMemory {
  UNKNOWN("an unknown key"),
  OTHER_PD("a key of another protection domain"),
  GONE("a key whose region is gone"),
  BEYOND("a range that ends beyond the region"),
  BEFORE("a range that begins before the region"),
  WRAP("a range that wraps around the address space"),
  READ_ONLY("a region without LOCAL_WRITE");

  static final List<WrongMemory> KEYS = List.of(UNKNOWN, OTHER_PD, GONE);
  static final List<WrongMemory> RANGES = List.of(BEYOND, BEFORE, WRAP);

  /** The ways that a receive's element can have. */
  static final List<WrongMemory> LANDINGS = List.of(values());

  private final String words;

  WrongMemory(String words) {
    this.words = words;
  }

  /** The mistake in words. */
  String words() {
    return words;
  }

  /**
   * A range of memory with its keys.
   *
   * @param address where the range begins
   */
  record Place(long address, int lkey, int rkey) {
    static Place of(MemoryRegion region, long offset) {
      return new Place(region.address() + offset, region.lkey(), region.rkey());
    }
  }

  /**
   * A range at the station that is wrong in this way only.
   *
   * @param bytes length of the range, which is aligned to 8
   */
  Place at(Station station, int bytes) {
    MemoryRegion region = station.region();
    return switch (this) {
      case UNKNOWN -> new Place(region.address(), Bench.noKey(station), Bench.noKey(station));
      case OTHER_PD ->
          Place.of(
              station
                  .context()
                  .allocPd()
                  .registerMemory(station.memory(Station.BYTES), Station.ALL_RIGHTS),
              0);
      case GONE -> {
        MemoryRegion gone = station.region(Station.ALL_RIGHTS);
        Place place = Place.of(gone, 0);
        gone.close();
        yield place;
      }
      case BEYOND -> Place.of(region, Station.BYTES - bytes + 8);
      case BEFORE -> Place.of(region, -8);
      case WRAP -> new Place(-8, region.lkey(), region.rkey());
      case READ_ONLY -> Place.of(station.region(AccessFlags.REMOTE_READ), 0);
    };
  }

  /** The ways to an error, one for each way of being wrong. */
  static List<ErrorCase.Way> ways(
      List<WrongMemory> all, BiFunction<Bench, WrongMemory, ErrorCase.Scene> provocation) {
    return all.stream()
        .map(
            wrong ->
                new ErrorCase.Way(
                    wrong.name(), wrong.words, bench -> provocation.apply(bench, wrong)))
        .toList();
  }
}
