package org.roce4j.emulator.jfr;

import java.util.function.LongSupplier;
import jdk.jfr.FlightRecorder;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.engine.trace.Failure;
import org.roce4j.engine.trace.RequestNote;
import org.roce4j.verbs.QpState;

/**
 * Passes events to the flight recorder, then to another observer. While nothing is recorded, this
 * costs one read of a field, and the event classes are not loaded. Threads: as the engine.
 */
public final class FlightRecorderTrace implements EngineTrace {
  private static final boolean AVAILABLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private final String device;
  private final EngineTrace next;

  private final LongSupplier sinceEpochNs;

  private FlightRecorderTrace(String device, EngineTrace next, LongSupplier sinceEpochNs) {
    this.device = device;
    this.next = next;
    this.sinceEpochNs = sinceEpochNs;
  }

  /**
   * Puts the recorder before another observer; returns that observer if the JDK has no recorder.
   *
   * @param device name under which events are recorded
   * @param sinceEpochNs the device's clock, nanoseconds since 1970; read only while something is
   *     recorded
   */
  public static EngineTrace before(EngineTrace next, String device, LongSupplier sinceEpochNs) {
    return AVAILABLE ? new FlightRecorderTrace(device, next, sinceEpochNs) : next;
  }

  @Override
  public void stateChanged(int qpNum, QpState from, QpState to) {
    if (FlightRecorder.isInitialized()) {
      QueuePairStateEvent event = new QueuePairStateEvent();
      if (event.shouldCommit()) {
        event.device = device;
        event.qpNum = qpNum;
        event.from = from.name();
        event.to = to.name();
        event.time = sinceEpochNs.getAsLong();
        event.commit();
      }
    }
    next.stateChanged(qpNum, from, to);
  }

  @Override
  public void requestFailed(int qpNum, Failure failure) {
    next.requestFailed(qpNum, failure);
  }

  @Override
  public void requestRefused(int qpNum, String why) {
    next.requestRefused(qpNum, why);
  }

  @Override
  public void retransmission(int qpNum, int psn, Counter reason) {
    if (FlightRecorder.isInitialized()) {
      RetransmissionEvent event = new RetransmissionEvent();
      if (event.shouldCommit()) {
        event.device = device;
        event.qpNum = qpNum;
        event.psn = psn;
        event.reason = reason.label();
        event.commit();
      }
    }
    next.retransmission(qpNum, psn, reason);
  }

  @Override
  public boolean wantsRequests() {
    return FlightRecorder.isInitialized() && areRequestsRecorded() || next.wantsRequests();
  }

  private static boolean areRequestsRecorded() {
    return new WorkRequestEvent().isEnabled() || new WorkCompletionEvent().isEnabled();
  }

  @Override
  public void posted(RequestNote request) {
    if (FlightRecorder.isInitialized()) {
      WorkRequestEvent event = new WorkRequestEvent();
      if (event.shouldCommit()) {
        event.device = device;
        event.qpNum = request.qpNum();
        event.wrId = request.wrId();
        event.operation = request.operation();
        event.bytes = request.bytes();
        event.time = request.sinceEpochNs();
        event.commit();
      }
    }
    next.posted(request);
  }

  @Override
  public void polled(RequestNote completion) {
    if (FlightRecorder.isInitialized()) {
      WorkCompletionEvent event = new WorkCompletionEvent();
      if (event.shouldCommit()) {
        event.device = device;
        event.qpNum = completion.qpNum();
        event.wrId = completion.wrId();
        event.operation = completion.operation();
        event.status = completion.status();
        event.bytes = completion.bytes();
        event.time = completion.sinceEpochNs();
        event.commit();
      }
    }
    next.polled(completion);
  }

  @Override
  public void dropped(int qpNum, int psn, Counter reason) {
    if (FlightRecorder.isInitialized()) {
      DropEvent event = new DropEvent();
      if (event.shouldCommit()) {
        event.device = device;
        event.qpNum = qpNum;
        event.psn = psn;
        event.reason = reason.label();
        event.commit();
      }
    }
    next.dropped(qpNum, psn, reason);
  }
}
