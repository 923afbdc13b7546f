package org.roce4j.property;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.property.DataPathModel.Done;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Runs random requests on a connection over a fabric and on the model. */
final class RequestRun implements AutoCloseable {
  static final int MOST_REQUESTS = 24;
  static final int MOST_BYTES = 6000;
  static final int MAX_SGE = 4;
  private static final int MAX_INLINE = 256;
  private static final int SLOT = 6144;
  private static final int ACCESS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;
  private static final Gid NEAR = Gid.parse("10.0.0.1");
  private static final Gid FAR = Gid.parse("10.0.0.2");
  private static final int MOST_POLLS = 2_000_000;
  private static final long LAST = 1000;

  private final Arena arena = Arena.ofShared();
  private final FabricDevices devices;
  private final End near;
  private final End far;
  private final WorkCompletions completions = new WorkCompletions(arena, 1);
  private final List<Done> sent = new ArrayList<>();
  private final List<Done> received = new ArrayList<>();

  /** One end of the connection. */
  private final class End {
    final MemorySegment memory;
    final MemoryRegion region;
    final CompletionQueue cq;
    final QueuePair qp;

    End(Context context, long bytes) {
      memory = arena.allocate(bytes, 4096);
      ProtectionDomain pd = context.allocPd();
      region = pd.registerMemory(memory, ACCESS);
      cq = context.createCq(4 * MOST_REQUESTS);
      qp =
          pd.createQp(
              new QpInitAttr()
                  .qpType(QpType.RC)
                  .cq(cq)
                  .cap(
                      new QpCapabilities(
                          MOST_REQUESTS + 1, MOST_REQUESTS, MAX_SGE, 1, MAX_INLINE)));
    }

    void connect(Gid peer, int peerQpn) {
      QpBringUp.toRts(
          qp,
          QpBringUp.attributes(AhAttr.roce(peer, 0), peerQpn)
              .pathMtu(Mtu.MTU_256)
              .rqPsn(0xfffff8)
              .sqPsn(0xfffff8)
              .minRnrTimer(10)
              .timeout(10)
              .maxDestRdAtomic(3)
              .maxRdAtomic(3));
    }

    byte[] bytes() {
      return memory.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  RequestRun(FabricOptions options) {
    devices = new FabricDevices(options);
    near = new End(devices.device("near", NEAR).open(), (long) MOST_REQUESTS * SLOT);
    far =
        new End(
            devices.device("far", FAR).open(),
            DataPathModel.REMOTE_BYTES + (long) MOST_REQUESTS * SLOT);
    near.connect(FAR, far.qp.qpNum());
    far.connect(NEAR, near.qp.qpNum());
    SplittableRandom random = new SplittableRandom(7);
    fill(near.memory, random);
    fill(far.memory, random);
  }

  private static void fill(MemorySegment memory, SplittableRandom random) {
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
  }

  /**
   * Posts all requests, the receives after {@code receivesLate} requests, and waits for the end.
   *
   * @return the model after the requests
   */
  DataPathModel run(List<RandomRequest> requests, int receivesLate) {
    DataPathModel model = new DataPathModel(near.bytes(), far.bytes(), SLOT);
    for (int i = 0; i < requests.size(); i++) {
      if (i == Math.min(receivesLate, requests.size() - 1)) {
        postReceives();
      }
      post(model, requests.get(i), i);
    }
    finish();
    return model;
  }

  private void postReceives() {
    try (RecvRequestList list = new RecvRequestList(MOST_REQUESTS, 1)) {
      for (int i = 0; i < MOST_REQUESTS; i++) {
        list.add().wrId(i);
        list.sge(far.region, DataPathModel.REMOTE_BYTES + (long) i * SLOT, SLOT);
      }
      require(far.qp.postRecv(list) == 0, "the receives were not posted");
    }
  }

  private void post(DataPathModel model, RandomRequest request, int number) {
    WrOpcode opcode = request.opcode();
    boolean atomic =
        opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    boolean inline =
        request.inline()
            && !atomic
            && opcode != WrOpcode.RDMA_READ
            && request.bytes() <= MAX_INLINE;
    int bytes = atomic ? Long.BYTES : request.bytes();
    int localAt = number * SLOT;
    int remoteAt = request.remote() * Long.BYTES;
    boolean fenced = request.fenced() || model.needsFence(opcode);
    try (SendRequestList list = new SendRequestList(1, MAX_SGE, MAX_INLINE)) {
      list.add().wrId(number).opcode(opcode);
      list.flags(
          (request.signaled() ? SendFlags.SIGNALED : 0)
              | (fenced ? SendFlags.FENCE : 0)
              | (inline ? SendFlags.INLINE : 0));
      long remote = far.region.address() + remoteAt;
      switch (opcode) {
        case SEND -> {}
        case SEND_WITH_IMM -> list.immediate(number);
        case RDMA_WRITE_WITH_IMM -> list.immediate(number).remote(remote, far.region.rkey());
        case ATOMIC_FETCH_AND_ADD ->
            list.atomic(remote, far.region.rkey(), DataPathModel.addend(number), 0);
        case ATOMIC_CMP_AND_SWP ->
            list.atomic(
                remote,
                far.region.rkey(),
                DataPathModel.compare(number),
                DataPathModel.addend(number));
        default -> list.remote(remote, far.region.rkey());
      }
      elements(list, request, localAt, bytes, inline);
      require(near.qp.postSend(list) == 0, "request " + number + " was not posted");
    }
    model.happens(number, request, bytes, localAt, remoteAt, fenced);
  }

  /** Divides the local memory into elements, including empty ones. */
  private void elements(
      SendRequestList list, RandomRequest request, int localAt, int bytes, boolean inline) {
    int done = 0;
    for (int percent : request.cuts()) {
      int length = (int) ((long) (bytes - done) * percent / 100);
      element(list, localAt + done, length, inline);
      done += length;
    }
    element(list, localAt + done, bytes - done, inline);
  }

  private void element(SendRequestList list, int at, int length, boolean inline) {
    if (inline && at % 2 == 0) { // the other elements name a registered buffer
      list.inline(near.memory.asSlice(at, length));
    } else {
      list.sge(near.region, at, length);
    }
  }

  /** Ends the run with a last, signaled request: when it completes, all before it have. */
  private void finish() {
    try (SendRequestList list = new SendRequestList(1, 1, 0)) {
      list.add().wrId(LAST).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
      list.remote(0, 0);
      require(near.qp.postSend(list) == 0, "the last request was not posted");
    }
    for (int i = 0; i < MOST_POLLS; i++) {
      collect(near.cq, sent);
      collect(far.cq, received);
      if (!sent.isEmpty() && sent.getLast().wrId() == LAST) {
        sent.removeLast();
        collect(far.cq, received);
        return;
      }
    }
    throw new AssertionError("the requests are not done");
  }

  private void collect(CompletionQueue cq, List<Done> into) {
    while (cq.poll(completions, 1) == 1) {
      require(completions.status(0) == WcStatus.SUCCESS, completions.toString(0));
      boolean immediate = (completions.flags(0) & WcFlags.WITH_IMM) != 0;
      into.add(
          new Done(
              completions.wrId(0),
              completions.opcode(0),
              completions.byteLength(0),
              immediate ? completions.immediate(0) : 0));
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  List<Done> sent() {
    return sent;
  }

  List<Done> received() {
    return received;
  }

  byte[] nearMemory() {
    return near.bytes();
  }

  byte[] farMemory() {
    return far.bytes();
  }

  @Override
  public void close() {
    devices.close();
    arena.close();
  }
}
