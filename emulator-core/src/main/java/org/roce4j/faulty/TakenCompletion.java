package org.roce4j.faulty;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.layout.WcLayout;
import org.roce4j.verbs.text.Wording;

/** A completion removed from its queue, which the program then polls or reads field by field. */
final class TakenCompletion {
  private interface Get {
    long of(MemorySegment wc, long at);
  }

  private interface Set {
    void in(MemorySegment wc, long value);
  }

  /** The fields that both ways to poll have. */
  private enum Field {
    WR_ID("wrId", q -> q.wrId(), WcLayout::wrId, (wc, v) -> WcLayout.wrId(wc, 0, v)),
    STATUS(
        "statusValue",
        q -> q.statusValue(),
        WcLayout::status,
        (wc, v) -> WcLayout.status(wc, 0, (int) v)),
    OPCODE(
        "readOpcode",
        q -> q.readOpcode() == null ? -1 : q.readOpcode().value(),
        WcLayout::opcode,
        (wc, v) -> WcLayout.opcode(wc, 0, (int) v)),
    VENDOR_ERR(
        "readVendorErr",
        q -> q.readVendorErr(),
        WcLayout::vendorErr,
        (wc, v) -> WcLayout.vendorErr(wc, 0, (int) v)),
    WC_FLAGS(
        "readWcFlags",
        q -> q.readWcFlags(),
        WcLayout::wcFlags,
        (wc, v) -> WcLayout.wcFlags(wc, 0, (int) v)),
    PKEY_INDEX(
        "readPkeyIndex",
        q -> q.readPkeyIndex(),
        WcLayout::pkeyIndex,
        (wc, v) -> WcLayout.pkeyIndex(wc, 0, (int) v)),
    BYTE_LEN(
        "readByteLength",
        q -> q.readByteLength(),
        WcLayout::byteLen,
        (wc, v) -> WcLayout.byteLen(wc, 0, (int) v)),
    IMM_DATA(
        "readImmediate",
        q -> q.readImmediate(),
        WcLayout::immData,
        (wc, v) -> WcLayout.immData(wc, 0, (int) v)),
    /** Stored in the place of the immediate data. */
    INVALIDATED_RKEY(
        "readInvalidatedRkey",
        q -> q.readInvalidatedRkey(),
        WcLayout::invalidatedRkey,
        (wc, v) -> {
          if ((WcLayout.wcFlags(wc, 0) & WcFlags.WITH_INV) != 0) {
            WcLayout.invalidatedRkey(wc, 0, (int) v);
          }
        }),
    QP_NUM(
        "readQpNum",
        q -> q.readQpNum(),
        WcLayout::qpNum,
        (wc, v) -> WcLayout.qpNum(wc, 0, (int) v)),
    SRC_QP(
        "readSourceQp",
        q -> q.readSourceQp(),
        WcLayout::srcQp,
        (wc, v) -> WcLayout.srcQp(wc, 0, (int) v)),
    SLID("readSlid", q -> q.readSlid(), WcLayout::slid, (wc, v) -> WcLayout.slid(wc, 0, (int) v)),
    SL(
        "readServiceLevel",
        q -> q.readServiceLevel(),
        WcLayout::sl,
        (wc, v) -> WcLayout.sl(wc, 0, (int) v)),
    DLID_PATH_BITS(
        "readDlidPathBits",
        q -> q.readDlidPathBits(),
        WcLayout::dlidPathBits,
        (wc, v) -> WcLayout.dlidPathBits(wc, 0, (int) v));

    final String reader;
    final Function<ExtendedCompletionQueue, Number> read;
    final Get get;
    final Set set;

    Field(String reader, Function<ExtendedCompletionQueue, Number> read, Get get, Set set) {
      this.reader = reader;
      this.read = read;
      this.get = get;
      this.set = set;
    }
  }

  /** The fields that a poll into memory does not have. */
  private static final Map<String, Function<ExtendedCompletionQueue, Object>> FURTHER =
      Map.of(
          "readCompletionTimestamp", ExtendedCompletionQueue::readCompletionTimestamp,
          "readCompletionWallclockNs", ExtendedCompletionQueue::readCompletionWallclockNs,
          "readCvlan", ExtendedCompletionQueue::readCvlan,
          "readFlowTag", ExtendedCompletionQueue::readFlowTag,
          "readTagMatchingInfo", ExtendedCompletionQueue::readTagMatchingInfo);

  private static final Map<String, Field> READERS =
      Stream.of(Field.values()).collect(Collectors.toMap(field -> field.reader, field -> field));

  /** {@code struct ibv_wc}. */
  private final MemorySegment wc = MemorySegment.ofArray(new long[WcLayout.SIZE / Long.BYTES]);

  private final Map<String, Object> further = new HashMap<>();

  /** The exceptions of fields that cannot be read. */
  private final Map<String, VerbsException> untold = new HashMap<>();

  private TakenCompletion() {}

  /** A completion that a poll has written to memory. */
  static TakenCompletion written(MemorySegment memory, long at) {
    TakenCompletion completion = new TakenCompletion();
    MemorySegment.copy(memory, at, completion.wc, 0, WcLayout.SIZE);
    return completion;
  }

  /** The current completion of a queue. */
  static TakenCompletion standing(ExtendedCompletionQueue cq) {
    TakenCompletion completion = new TakenCompletion();
    for (Field field : Field.values()) {
      completion.told(
          field.reader, () -> field.set.in(completion.wc, field.read.apply(cq).longValue()));
    }
    FURTHER.forEach(
        (reader, read) ->
            completion.told(reader, () -> completion.further.put(reader, read.apply(cq))));
    return completion;
  }

  private void told(String reader, Runnable taking) {
    try {
      taking.run();
    } catch (VerbsException e) {
      untold.put(reader, e);
    }
  }

  /** Whether a call of an extended queue reads a field. */
  static boolean isReader(String call) {
    return READERS.containsKey(call) || FURTHER.containsKey(call);
  }

  int qpn() {
    return WcLayout.qpNum(wc, 0);
  }

  int status() {
    return WcLayout.status(wc, 0);
  }

  void fail(int status) {
    WcLayout.status(wc, 0, status);
  }

  @Override
  public String toString() {
    return Wording.of(
        "completion of %s (wr_id %d)", WcOpcode.of(WcLayout.opcode(wc, 0)), WcLayout.wrId(wc, 0));
  }

  void write(MemorySegment memory, long at) {
    MemorySegment.copy(wc, 0, memory, at, WcLayout.SIZE);
  }

  /** The value that a call of an extended queue reads. */
  Object read(String reader) {
    VerbsException why = untold.get(reader);
    if (why != null) {
      throw new VerbsException(why.errno(), why.remedy());
    }
    Field field = READERS.get(reader);
    if (field == null) {
      return further(reader);
    }
    long value = field.get.of(wc, 0);
    return switch (field) {
      case WR_ID -> value;
      case OPCODE -> WcOpcode.of((int) value);
      default -> (int) value;
    };
  }

  private Object further(String reader) {
    Object value = further.get(reader);
    if (value == null) {
      throw Errno.EINVAL.refusal(
          "a plan of faults held it back from poll, which tells no such field");
    }
    return value;
  }
}
