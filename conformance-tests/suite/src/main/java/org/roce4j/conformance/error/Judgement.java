package org.roce4j.conformance.error;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.BenchCompletion;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;

/**
 * Provokes an error and checks its consequences against the table: both completions, both states,
 * every event, every counter (if the device has counters), and nothing else.
 */
final class Judgement {
  /** Counters that errors have no part in. */
  private static final Set<String> TRAFFIC =
      Set.of(
          "sent_pkts",
          "rcvd_pkts",
          "sent_bytes",
          "rcvd_bytes",
          "sent_trains",
          "rcvd_trains",
          "sent_acks",
          "rcvd_acks",
          "rdma_sends",
          "rdma_recvs",
          "ack_deferred",
          "psn_wrap",
          "icrc_solved",
          "handed_over",
          "gso_refused");

  /** Counters of completions in error, which are compared with the completions. */
  private static final Set<String> COMPLETIONS =
      Set.of("req_cqe_error", "resp_cqe_error", "req_cqe_flush_error", "resp_cqe_flush_error");

  private final Bench bench;
  private final ErrorCase error;

  /** Whether an open number of other requests completes, too. */
  private final boolean traffic;

  Judgement(Bench bench, ErrorCase error) {
    this.bench = bench;
    this.error = error;
    traffic = error.chapter() == Chapter.UNDER_WAY || error.chapter() == Chapter.EVENTS;
  }

  /** Provokes the error and returns if the consequences are those of the table. */
  void pass(ErrorCase.Provocation provocation) {
    Observed near = new Observed(bench.near(), error.requester());
    Observed far = new Observed(bench.far(), error.responder());
    ErrorCase.Scene scene = provocation.in(bench);
    near.completes();
    far.completes();
    if (scene != null) {
      near.becomes(scene.near());
      far.becomes(scene.far());
    }
    near.raises();
    far.raises();
    near.counts();
    far.counts();
    if (scene != null) {
      scene.afterwards().run();
    }
    near.nothingElse();
    far.nothingElse();
  }

  private final class Observed {
    private final Station station;
    private final ErrorOutcome expected;
    private long failed;
    private long flushed;

    Observed(Station station, ErrorOutcome expected) {
      this.station = station;
      this.expected = expected;
    }

    private String whose() {
      return station == bench.near() ? "the requester's " : "the responder's ";
    }

    void completes() {
      if (expected.status() == null) {
        return;
      }
      BenchCompletion completion = bench.completion(station);
      while (traffic
          && completion.status() == WcStatus.SUCCESS
          && expected.status() != WcStatus.SUCCESS) {
        completion = bench.completion(station);
      }
      Expect.equal(whose() + "status", expected.status(), completion.status());
      tally(completion);
    }

    private void tally(BenchCompletion completion) {
      if (completion.status() == WcStatus.WR_FLUSH_ERR) {
        flushed++;
      } else if (completion.status() != WcStatus.SUCCESS) {
        failed++;
      }
    }

    void becomes(QueuePair qp) {
      if (qp != null && expected.state() != null) {
        bench.becomes(qp, expected.state());
      }
    }

    void raises() {
      List<EventType> raised = new ArrayList<>();
      bench
          .link()
          .await(
              () -> {
                AsyncEvent event;
                while ((event = station.context().pollAsyncEvent()) != null) {
                  event.ack();
                  raised.add(event.type());
                }
                return raised.size() >= expected.events().size();
              },
              Bench.SOON_NS);
      Expect.equal(
          whose() + "events", expected.events().stream().sorted().toList(), sorted(raised));
    }

    private static List<EventType> sorted(List<EventType> events) {
      return events.stream().sorted().toList();
    }

    void counts() {
      if (!bench.has(Capability.COUNTS_CAUSES)) {
        return;
      }
      for (String label : expected.counters()) {
        bench.link().await(() -> station.counted(label) > 0, Bench.SOON_NS);
        Expect.that(station.counted(label) > 0, whose() + "counter " + label + " has not grown");
      }
    }

    void nothingElse() {
      bench.noEvent(station);
      takeFlushed();
      if (!bench.has(Capability.COUNTS_CAUSES)) {
        return;
      }
      if (station.counted("cq_overflow") == 0 && !traffic) {
        // The queue pair is seen in ERR before all is flushed, a completion before it is counted.
        bench.link().await(this::isCounted, Bench.SOON_NS);
        Expect.equal(whose() + "counted failed completions", failed, countedFailed());
        Expect.equal(whose() + "counted flushed completions", flushed, countedFlushed());
      }
      if (bench.has(Capability.VIRTUAL_TIME) && !traffic) {
        // In real time a machine under load is late or loses packets, which counters count, too.
        Set<String> grown = new TreeSet<>();
        station
            .counted()
            .forEach(
                (label, growth) -> {
                  if (growth != 0 && !TRAFFIC.contains(label) && !COMPLETIONS.contains(label)) {
                    grown.add(label);
                  }
                });
        Set<String> named = new TreeSet<>(expected.counters());
        named.removeAll(COMPLETIONS);
        Expect.equal(whose() + "counters that grew", named, grown);
      }
    }

    private void takeFlushed() {
      for (BenchCompletion more = station.poll(); more != null; more = station.poll()) {
        tally(more);
        if (!traffic || more.status() != WcStatus.SUCCESS) {
          Expect.equal(whose() + "further status", WcStatus.WR_FLUSH_ERR, more.status());
        }
      }
    }

    private boolean isCounted() {
      takeFlushed();
      return failed == countedFailed() && flushed == countedFlushed();
    }

    private long countedFailed() {
      return station.counted("req_cqe_error") + station.counted("resp_cqe_error");
    }

    private long countedFlushed() {
      return station.counted("req_cqe_flush_error") + station.counted("resp_cqe_flush_error");
    }
  }
}
