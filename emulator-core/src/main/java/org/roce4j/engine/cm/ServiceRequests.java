package org.roce4j.engine.cm;

import java.util.HashMap;
import java.util.Map;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.SidrRep;
import org.roce4j.wire.mad.SidrReq;

/**
 * Questions for datagram services that are not answered yet, a bounded number. A question that is
 * repeated meanwhile is one; one that is repeated after its answer is answered again.
 */
final class ServiceRequests {
  private record Key(int requestId, long sourceHigh, long sourceLow) {
    static Key of(SidrReq request, Route route) {
      return new Key(request.requestId(), route.path().remoteHigh(), route.path().remoteLow());
    }
  }

  private record Question(SidrReq request, Key key) {
    static Question of(SidrReq request, Route route) {
      return new Question(request, Key.of(request, route));
    }
  }

  private final Map<Key, ServiceRequest> waiting = new HashMap<>();
  private final RecentAnswers<Question> answered = new RecentAnswers<>();
  private final Outbox outbox;

  ServiceRequests(Outbox outbox) {
    this.outbox = outbox;
  }

  /** A question that is to be answered; null: it waits already, or too many do. */
  ServiceRequest add(Route route, long transactionId, SidrReq request) {
    Key key = Key.of(request, route);
    if (waiting.size() >= ConnectionEnds.MOST || waiting.containsKey(key)) {
      return null;
    }
    ServiceRequest added = new ServiceRequest(this, route, transactionId, request);
    waiting.put(key, added);
    return added;
  }

  /** It will not be answered. */
  void drop(ServiceRequest request) {
    waiting.remove(Key.of(request.request(), request.route()), request);
  }

  void answer(long nowNs, ServiceRequest request, SidrRep answer) {
    drop(request);
    Mad message = answer.in(request.transactionId());
    answered.add(nowNs, Question.of(request.request(), request.route()), message);
    outbox.send(request.route().path(), message);
  }

  /** The answer that a program has given to a question lately, or null. */
  Mad answerTo(long nowNs, Route route, SidrReq request) {
    return answered.of(nowNs, Question.of(request, route));
  }

  int size() {
    return waiting.size();
  }
}
