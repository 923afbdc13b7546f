package org.roce4j.examples.flows;

import java.io.PrintStream;
import java.util.List;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/** Flows that wait for events. */
final class EventFlows {
  private static final long TIMEOUT_NS = 100_000_000L;

  private EventFlows() {}

  /** Flow 5: the thread waits in the call. */
  static void asyncEvents(List<RdmaDevice> devices, PrintStream out) {
    try (OwnPeer own = new OwnPeer(devices.getFirst())) {
      drain(own);
      AsyncEvent event = own.context.getAsyncEvent(); // ibv_get_async_event
      out.println("event: " + event.type()); // print_async_event
      event.ack(); // ibv_ack_async_event
    }
  }

  /** Something that raises an event. */
  private static void drain(OwnPeer own) {
    own.qp.modify(new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true));
  }

  /** Flow 6: fcntl, O_NONBLOCK and poll of the descriptor are a call with a timeout. */
  static void asyncTimed(List<RdmaDevice> devices, PrintStream out) {
    try (OwnPeer own = new OwnPeer(devices.getFirst())) {
      AsyncEvent event = own.context.getAsyncEvent(TIMEOUT_NS); // poll(), ibv_get_async_event
      out.println(event == null ? "nothing within 100 ms" : "an event without a cause");
      drain(own);
      do {
        event = own.context.getAsyncEvent(TIMEOUT_NS);
      } while (event == null);
      out.println("event: " + event.type());
      event.ack(); // ibv_ack_async_event
    }
  }

  /** Flow 15. */
  static void completionEvents(List<RdmaDevice> devices, PrintStream out) {
    try (OwnPeer own = new OwnPeer(devices.getFirst())) { // ibv_create_cq with the channel
      // Before any completion can be there
      own.cq.requestNotification(false); // ibv_req_notify_cq
      TrafficFlows.post(own, "by an event");
      CompletionQueue ready = own.channel.getCqEvent(); // ibv_get_cq_event
      empty(ready, out);
    }
  }

  /** Flow 16: as flow 6. */
  static void completionTimed(List<RdmaDevice> devices, PrintStream out) {
    try (OwnPeer own = new OwnPeer(devices.getFirst())) {
      own.cq.requestNotification(false); // ibv_req_notify_cq
      CompletionQueue ready = own.channel.getCqEvent(TIMEOUT_NS); // poll(), ibv_get_cq_event
      out.println(ready == null ? "nothing within 100 ms" : "an event without a cause");
      TrafficFlows.post(own, "by an event");
      do {
        ready = own.channel.getCqEvent(TIMEOUT_NS);
      } while (ready == null);
      empty(ready, out);
    }
  }

  /** Takes both completions of a message; the second may come with an event of its own. */
  private static void empty(CompletionQueue cq, PrintStream out) {
    cq.ackEvents(1); // ibv_ack_cq_events
    cq.requestNotification(false); // ibv_req_notify_cq
    try (WorkCompletions wc = new WorkCompletions(1)) {
      for (int count = 0; count < 2; ) {
        if (cq.pollOrThrow(wc) == 0) { // ibv_poll_cq
          cq.channel().getCqEvent().ackEvents(1);
          cq.requestNotification(false);
        } else if (wc.status(0) == WcStatus.SUCCESS) {
          out.println("completion " + ++count + " of 2: " + wc.status(0));
        } else {
          throw new IllegalStateException(cq.whyFailed(wc, 0));
        }
      }
    }
  }
}
