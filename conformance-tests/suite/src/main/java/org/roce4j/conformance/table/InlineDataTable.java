package org.roce4j.conformance.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.text.Wording;

/**
 * Where IBV_SEND_INLINE takes data from (verbs-tables 4): any memory of the program, at the moment
 * of posting; the key is not looked at.
 */
public final class InlineDataTable {
  private static final String SOURCE = "verbs-tables 4";
  private static final long MARK = 0x1122_3344_5566_7788L;
  private static final int GRH = 40;
  private static final int AT = Station.BYTES / 2;

  private InlineDataTable() {}

  /** A buffer of the program, and how a request names it. */
  private record Place(MemorySegment memory, Naming naming) {
    interface Naming {
      void in(SendRequestList request, MemorySegment buffer);
    }

    void name(SendRequestList request) {
      naming.in(request, memory);
    }
  }

  private enum Source {
    REGION("a registered buffer, by its key") {
      @Override
      Place of(Station near) {
        MemoryRegion mr = near.region(0);
        return new Place(mr.memory(), (request, buffer) -> request.sge(mr, 0, 8));
      }
    },
    ZERO_BASED("a registered buffer whose keys count from 0") {
      @Override
      Place of(Station near) {
        MemoryRegion mr = near.region(AccessFlags.ZERO_BASED);
        return new Place(mr.memory(), (request, buffer) -> request.sge(mr, 0, 8));
      }
    },
    WRONG_KEY("a registered buffer, by a key that nobody has") {
      @Override
      Place of(Station near) {
        int none = Bench.noKey(near);
        return new Place(
            near.region(0).memory(), (request, buffer) -> request.sge(buffer.address(), 8, none));
      }
    },
    PLAIN("a buffer that is not registered") {
      @Override
      Place of(Station near) {
        return new Place(near.memory(8), (request, buffer) -> request.sge(buffer.address(), 8, 0));
      }
    };

    private final String words;

    Source(String words) {
      this.words = words;
    }

    abstract Place of(Station near);
  }

  /** All rows: each source with each service, sent and written. */
  @Covers("ibv_post_send")
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (QpType service : new QpType[] {QpType.RC, QpType.UC, QpType.UD}) {
      for (Source source : Source.values()) {
        rows.add(row(service, WrOpcode.SEND, source));
        if (service != QpType.UD) {
          rows.add(row(service, WrOpcode.RDMA_WRITE, source));
        }
      }
    }
    return rows;
  }

  private static Row row(QpType service, WrOpcode opcode, Source source) {
    return new Row(
        Wording.of("INL-%s-%s-%s", service, opcode, source),
        SOURCE,
        Wording.of(
            "%s of inline data from %s: its bytes as they are when it is posted (%s)",
            opcode, source.words, service),
        bench -> arrives(bench, service, opcode, source.of(bench.near())));
  }

  private static void arrives(Bench bench, QpType service, WrOpcode opcode, Place place) {
    Station near = bench.near();
    Station far = bench.far();
    Bench.Pair pair = bench.pair(service);
    far.postReceives(pair.far(), 1, 64 + GRH);
    SendRequestList request = near.send(1, opcode).flags(SendFlags.SIGNALED | SendFlags.INLINE);
    place.name(request);
    if (service == QpType.UD) {
      request.ud(near.ahTo(far), pair.far().qpNum(), bench.values().qkey());
    } else {
      request.remote(far.region().address() + AT, far.region().rkey());
    }
    place.memory().set(ValueLayout.JAVA_LONG, 0, MARK);
    Expect.posts(pair.near(), request);
    place.memory().set(ValueLayout.JAVA_LONG, 0, 0);
    bench.completes(near, 1, WcStatus.SUCCESS);
    if (opcode == WrOpcode.SEND) {
      bench.completes(far, 100, WcStatus.SUCCESS);
    }
    long landed = (long) AT + (service == QpType.UD ? GRH : 0);
    bench.link().await(() -> at(far, landed) == MARK, Bench.SOON_NS);
    Expect.equal("what arrived", MARK, at(far, landed));
  }

  private static long at(Station far, long offset) {
    return far.region().memory().get(ValueLayout.JAVA_LONG, offset);
  }
}
