package org.roce4j.examples;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;

/**
 * A journal on another machine: records are written into a mapped file there, and a FLUSH says when
 * they are in storage. The other machine's processor takes no part in it.
 */
public final class FlushExample {
  private static final int RECORD = 64;
  private static final int JOURNAL = 4096;

  /** {@code enum ibv_placement_type}, {@code enum ibv_selectivity_level}. */
  private static final int PERSISTENCE = 2;

  private static final int RANGE = 0;

  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.FLUSH_PERSISTENT;

  private FlushExample() {}

  /** Plays on two emulated devices. */
  public static void main(String[] args) {
    try (Context writer = Verbs.device("roce0").open();
        Context storage = Verbs.device("roce1").open()) {
      run(writer, storage, System.out);
    }
  }

  static void run(Context writer, Context storage, PrintStream out) {
    try (Arena arena = Arena.ofShared();
        Writer journal = new Writer(writer, arena)) {
      Path file = Files.createTempFile("journal", null);
      try {
        ProtectionDomain pd = storage.allocPd();
        MemoryRegion mapped = pd.registerMemory(mapped(file, arena), RIGHTS);
        QueuePair peer = pd.createQp(new QpInitAttr().cq(storage.createCq(1)));
        connect(peer, journal.qp, writer);
        connect(journal.qp, peer, storage);
        for (String record : new String[] {"a hundred pounds to Ann", "fifty to Bob"}) {
          journal.append(record, mapped.iova(), mapped.rkey());
          out.println("in storage: " + record);
        }
        peer.close();
        mapped.close();
        out.println("the file begins: " + Files.readString(file).split("\0")[0]);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MemorySegment mapped(Path file, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, JOURNAL, arena);
    }
  }

  /** The rights of the region are needed of the queue pair, too. */
  private static void connect(QueuePair qp, QueuePair to, Context peer) {
    QpBringUp.toRts(
        qp,
        QpBringUp.attributes(AhAttr.roce(peer.queryGid(1, 0), 0), to.qpNum())
            .timeout(17) // 0.5 s, for a peer on a busy machine
            .qpAccessFlags(RIGHTS));
  }

  /** The side that writes. */
  private static final class Writer implements AutoCloseable {
    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final WorkCompletions completion = new WorkCompletions(1);
    private int records;

    Writer(Context context, Arena arena) {
      pd = context.allocPd();
      region = pd.registerMemory(arena.allocate(RECORD), AccessFlags.LOCAL_WRITE);
      cq = context.createCq(2);
      qp =
          pd.createQp(
              new QpInitAttr()
                  .cq(cq)
                  .cap(new QpCapabilities(2, 1, 1, 1, 0))
                  .sendOps(SendOpsFlags.WITH_RDMA_WRITE | SendOpsFlags.WITH_FLUSH));
    }

    /** Returns when the record survives a loss of power. */
    void append(String record, long journal, int rkey) {
      region.memory().fill((byte) 0).setString(0, record);
      long at = journal + (long) records++ * RECORD;
      WorkRequestBuilder wr = qp.builder();
      wr.start();
      wr.rdmaWrite(rkey, at);
      wr.setSge(region.lkey(), region.iova(), RECORD);
      wr.flags(SendFlags.SIGNALED);
      wr.flush(rkey, at, RECORD, PERSISTENCE, RANGE);
      wr.completeOrThrow();
      while (cq.poll(completion) == 0) {
        Thread.onSpinWait();
      }
      if (completion.status(0) != WcStatus.SUCCESS) {
        throw new IllegalStateException(cq.whyFailed(completion, 0));
      }
    }

    @Override
    public void close() {
      qp.close();
      cq.close();
      region.close();
      pd.close();
      completion.close();
    }
  }
}
