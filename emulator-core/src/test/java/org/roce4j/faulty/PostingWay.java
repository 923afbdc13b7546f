package org.roce4j.faulty;

import java.util.function.ToIntFunction;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/** Each way to post requests. */
enum PostingWay {
  SEND_LIST("postSend"),
  SEND_MEMORY("postSend"),
  SEND_OR_THROW("postSend"),
  BUILDER("postSend"),
  BUILDER_OR_THROW("postSend"),
  RECEIVE_LIST("postRecv"),
  RECEIVE_MEMORY("postRecv"),
  RECEIVE_OR_THROW("postRecv"),
  SHARED_LIST("postRecv"),
  SHARED_MEMORY("postRecv"),
  SHARED_OR_THROW("postRecv");

  /** The name of the call in a rule. */
  final String call;

  PostingWay(String call) {
    this.call = call;
  }

  boolean builds() {
    return this == BUILDER || this == BUILDER_OR_THROW;
  }

  boolean isShared() {
    return name().startsWith("SHARED");
  }

  /**
   * The result of posting.
   *
   * @param badIndex index of the refused request; -1 if there is none, or the way has no index
   * @param why words for the refusal; empty if there is none, or the way has no words
   */
  record Outcome(int errno, int badIndex, String why) {}

  Outcome post(QueuePair qp, SharedReceiveQueue srq, AddressHandle ah, long... ids) {
    return builds()
        ? build(qp.builder(), ah, ids)
        : call.equals("postSend") ? send(qp, ah, ids) : receive(qp, srq, ids);
  }

  private Outcome build(WorkRequestBuilder wr, AddressHandle ah, long... ids) {
    wr.start();
    for (long id : ids) {
      wr.wrId(id).flags(SendFlags.SIGNALED).send().setUdAddress(ah, 17, QpBringUp.QKEY);
    }
    int errno = this == BUILDER ? wr.complete() : thrown(wr::completeOrThrow);
    return new Outcome(errno, -1, wr.whyRefused());
  }

  private Outcome send(QueuePair qp, AddressHandle ah, long... ids) {
    try (SendRequestList list = new SendRequestList(ids.length, 0, 0)) {
      for (long id : ids) {
        list.add().wrId(id).opcode(WrOpcode.SEND).ud(ah, 17, QpBringUp.QKEY);
      }
      ToIntFunction<SendRequestList> posting =
          switch (this) {
            case SEND_LIST -> qp::postSend;
            case SEND_MEMORY -> it -> bad(it, qp.postSend(it.memory(), it.address()));
            default -> it -> thrown(() -> qp.postSendOrThrow(it));
          };
      int errno = posting.applyAsInt(list);
      return new Outcome(errno, list.badIndex(), errno == 0 ? "" : qp.whySendRefused(list, errno));
    }
  }

  private static int bad(SendRequestList list, long result) {
    list.badIndex(PostResult.badIndex(result));
    return PostResult.errno(result);
  }

  private Outcome receive(QueuePair qp, SharedReceiveQueue srq, long... ids) {
    try (RecvRequestList list = new RecvRequestList(ids.length, 0)) {
      for (long id : ids) {
        list.add().wrId(id);
      }
      int errno =
          switch (this) {
            case RECEIVE_LIST -> qp.postRecv(list);
            case SHARED_LIST -> srq.postRecv(list);
            case RECEIVE_MEMORY -> bad(list, qp.postRecv(list.memory(), list.address()));
            case SHARED_MEMORY -> bad(list, srq.postRecv(list.memory(), list.address()));
            case RECEIVE_OR_THROW -> thrown(() -> qp.postRecvOrThrow(list));
            default -> thrown(() -> srq.postRecvOrThrow(list));
          };
      String why =
          errno == 0
              ? ""
              : isShared() ? srq.whyRecvRefused(list, errno) : qp.whyRecvRefused(list, errno);
      return new Outcome(errno, list.badIndex(), why);
    }
  }

  private static int bad(RecvRequestList list, long result) {
    list.badIndex(PostResult.badIndex(result));
    return PostResult.errno(result);
  }

  private static int thrown(Runnable posting) {
    try {
      posting.run();
      return 0;
    } catch (VerbsException e) {
      return e.errno().number();
    }
  }
}
