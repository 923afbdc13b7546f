package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.engine.trace.Failure;
import org.roce4j.verbs.text.Wording;

/**
 * The reasons of the first few failed requests on devices; later failures are their consequences.
 * It observes the devices' engines, so it outlives queue pairs and contexts. Thread-safe.
 */
public final class FailedRequests {
  private static final int MOST = 8;

  private final List<String> sentences = new ArrayList<>();
  private int more;

  /** These options with this object as their observer, instead of another. */
  public DeviceOptions listenTo(DeviceOptions options) {
    return options.withTrace(listener(options.name()));
  }

  private EngineTrace listener(String device) {
    return new EngineTrace() {
      @Override
      public void requestFailed(int qpNum, Failure failure) {
        add(
            Wording.of(
                "QP 0x%x on %s: %s (wr_id %d) failed with %s: %s",
                qpNum, device, failure.request(), failure.wrId(), failure.status(), failure.why()));
      }

      @Override
      public void requestRefused(int qpNum, String why) {
        add(Wording.of("QP 0x%x on %s refused %s", qpNum, device, why));
      }
    };
  }

  /** Adds the reason of a failure that no engine knows, such as an injected fault at the verbs. */
  public synchronized void add(String sentence) {
    if (sentences.size() < MOST) {
      sentences.add(sentence);
    } else {
      more++;
    }
  }

  /** A sentence for each failure, the earliest first. */
  public synchronized List<String> sentences() {
    List<String> all = new ArrayList<>(sentences);
    if (more > 0) {
      all.add(Wording.of("and %d more", more));
    }
    return all;
  }
}
