package org.roce4j.verbs.cm;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The helpers of {@code rdma_verbs.h}: registration, posting of one request and completions, by an
 * id. Thread-safe; one thread at a time may post by an id. Each call posts one request and throws
 * if it is refused: for speed use the lists of {@link SendRequestList} and {@link
 * org.roce4j.verbs.QueuePair#postSend}.
 *
 * <p>{@code buffer} is a piece of the region {@code mr}, else EINVAL; {@code flags} are of {@link
 * SendFlags}; with INLINE it is any native memory, and {@code mr} may be null. Memory that was
 * freed, or is another thread's, is refused with EFAULT. {@code wrId} comes back with the
 * completion.
 */
public final class RdmaVerbs {
  private RdmaVerbs() {}

  /**
   * {@code rdma_reg_msgs}: memory for messages, sent and received. Deregister by {@link
   * MemoryRegion#close} ({@code rdma_dereg_mr}).
   *
   * @throws VerbsException EINVAL if the id has no domain; else as {@link
   *     ProtectionDomain#registerMemory}
   */
  public static MemoryRegion regMsgs(CmId id, MemorySegment memory) {
    return register(id, memory, AccessFlags.LOCAL_WRITE);
  }

  /** {@code rdma_reg_read}: memory that the peer may READ. As {@link #regMsgs}. */
  public static MemoryRegion regRead(CmId id, MemorySegment memory) {
    return register(id, memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
  }

  /** {@code rdma_reg_write}: memory that the peer may WRITE. As {@link #regMsgs}. */
  public static MemoryRegion regWrite(CmId id, MemorySegment memory) {
    return register(id, memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
  }

  private static MemoryRegion register(CmId id, MemorySegment memory, int access) {
    RequiredArgument.check(id, "id").checkOpen();
    ProtectionDomain pd = id.pd();
    if (pd == null) {
      throw new VerbsException(Errno.EINVAL, id + " has no protection domain: it is not bound");
    }
    return pd.registerMemory(memory, access);
  }

  /**
   * {@code rdma_post_recvv}: to the shared receive queue of the id, else to its queue pair.
   *
   * @throws VerbsException EINVAL without a queue; else as {@link
   *     org.roce4j.verbs.QueuePair#postRecvOrThrow}
   */
  public static void postRecvv(CmId id, long wrId, Sge... elements) {
    RequiredArgument.check(id, "id").postings().receive(wrId, elements);
  }

  /** {@code rdma_post_recv}. As {@link #postRecvv}. */
  public static void postRecv(CmId id, long wrId, MemorySegment buffer, MemoryRegion mr) {
    postRecvv(id, wrId, Postings.element(buffer, mr, false));
  }

  /**
   * {@code rdma_post_sendv}.
   *
   * @throws VerbsException EINVAL without a queue pair; else as {@link
   *     org.roce4j.verbs.QueuePair#postSendOrThrow}
   */
  public static void postSendv(CmId id, long wrId, int flags, Sge... elements) {
    post(id, wrId, WrOpcode.SEND, flags, list -> {}, elements);
  }

  /** {@code rdma_post_send}. As {@link #postSendv}. */
  public static void postSend(
      CmId id, long wrId, MemorySegment buffer, MemoryRegion mr, int flags) {
    postSendv(id, wrId, flags, Postings.element(buffer, mr, isInline(flags)));
  }

  /** {@code rdma_post_readv}. As {@link #postSendv}. */
  public static void postReadv(
      CmId id, long wrId, int flags, long remoteAddr, int rkey, Sge... elements) {
    post(id, wrId, WrOpcode.RDMA_READ, flags, list -> list.remote(remoteAddr, rkey), elements);
  }

  /** {@code rdma_post_read}. As {@link #postSendv}. */
  public static void postRead(
      CmId id,
      long wrId,
      MemorySegment buffer,
      MemoryRegion mr,
      int flags,
      long remoteAddr,
      int rkey) {
    postReadv(id, wrId, flags, remoteAddr, rkey, Postings.element(buffer, mr, false));
  }

  /** {@code rdma_post_writev}. As {@link #postSendv}. */
  public static void postWritev(
      CmId id, long wrId, int flags, long remoteAddr, int rkey, Sge... elements) {
    post(id, wrId, WrOpcode.RDMA_WRITE, flags, list -> list.remote(remoteAddr, rkey), elements);
  }

  /** {@code rdma_post_write}. As {@link #postSendv}. */
  public static void postWrite(
      CmId id,
      long wrId,
      MemorySegment buffer,
      MemoryRegion mr,
      int flags,
      long remoteAddr,
      int rkey) {
    Sge element = Postings.element(buffer, mr, isInline(flags));
    postWritev(id, wrId, flags, remoteAddr, rkey, element);
  }

  /** {@code rdma_post_ud_send}: a datagram with {@link UdParam#QKEY}. As {@link #postSendv}. */
  public static void postUdSend(
      CmId id,
      long wrId,
      MemorySegment buffer,
      MemoryRegion mr,
      int flags,
      AddressHandle ah,
      int remoteQpn) {
    RequiredArgument.check(ah, "ah");
    post(
        id,
        wrId,
        WrOpcode.SEND,
        flags,
        list -> list.ud(ah, remoteQpn, UdParam.QKEY),
        Postings.element(buffer, mr, isInline(flags)));
  }

  private static boolean isInline(int flags) {
    return (flags & SendFlags.INLINE) != 0;
  }

  private static void post(
      CmId id, long wrId, WrOpcode opcode, int flags, Postings.Filling more, Sge... elements) {
    Postings.checkPresent(elements);
    RequiredArgument.check(id, "id")
        .postings()
        .send(
            list -> {
              list.wrId(wrId).opcode(opcode).flags(flags);
              more.fill(list);
              for (Sge each : elements) {
                list.sge(each.address(), each.length(), each.lkey());
              }
            });
  }

  /**
   * {@code rdma_get_send_comp}: waits for the completion of a send, READ or WRITE.
   *
   * @param completions at least one entry; the completion is entry 0
   * @throws VerbsException EINVAL if the library did not make the completion queue; else as {@link
   *     CompletionQueue#pollOrThrow} and {@link CompletionChannel#getCqEvent()}
   */
  public static void getSendComp(CmId id, WorkCompletions completions) {
    await(RequiredArgument.check(id, "id"), id.sends(), completions);
  }

  /** {@code rdma_get_recv_comp}: waits for the completion of a receive. As {@link #getSendComp}. */
  public static void getRecvComp(CmId id, WorkCompletions completions) {
    await(RequiredArgument.check(id, "id"), id.receives(), completions);
  }

  private static void await(CmId id, IdQueues.Completions from, WorkCompletions completions) {
    id.checkOpen();
    CompletionQueue cq = from.cq();
    if (cq == null) {
      throw new VerbsException(
          Errno.EINVAL,
          id.qp() == null
              ? id + " has no queue pair: createQp makes it and its completion queues"
              : "the completion queue is the program's own: poll it there");
    }
    RequiredArgument.check(completions, "completions");
    while (!pollOne(cq, completions)) {
      cq.requestNotification(false);
      if (pollOne(cq, completions)) {
        return;
      }
      from.channel().getCqEvent();
      cq.ackEvents(1);
    }
  }

  /** Takes one completion; further ones wait for the next call. */
  private static boolean pollOne(CompletionQueue cq, WorkCompletions completions) {
    int count = cq.poll(completions, 1);
    if (count < 0) {
      throw new VerbsException(Errno.of(-count), "cannot poll " + cq);
    }
    return count > 0;
  }
}
