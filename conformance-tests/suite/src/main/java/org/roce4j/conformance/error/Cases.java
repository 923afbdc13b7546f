package org.roce4j.conformance.error;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** Collects the cases of a chapter, and has the requests that most cases post. */
abstract class Cases {
  /** Length of a message, bytes. */
  static final int BYTES = 64;

  /** Length of the network header in front of a datagram, bytes. */
  static final int GRH = 40;

  private final List<ErrorCase> cases = new ArrayList<>();

  final void add(ErrorCase error) {
    cases.add(error);
  }

  /** Adds the cases in the order of the document. */
  abstract void collect();

  final List<ErrorCase> all() {
    collect();
    return cases;
  }

  /** Attributes with which a requester gives up after 2 ms, for a peer that never answers. */
  static QpAttr impatient() {
    return Bench.attributes().timeout(8).retryCnt(1);
  }

  /**
   * Attributes with which a requester gives up after half a second, for a peer that answers at
   * first on a machine under load. Not retry_cnt 7, which soft-RoCE takes for no limit.
   */
  static QpAttr patient() {
    return Bench.attributes().timeout(14).retryCnt(6);
  }

  /** A connected pair with two receives posted at the far station. */
  static Bench.Pair pair(Bench bench, QpType service) {
    return pair(bench, service, Bench.attributes());
  }

  static Bench.Pair pair(Bench bench, QpType service, QpAttr farValues) {
    Bench.Pair pair = bench.pair(service, Bench.attributes(), farValues);
    receives(bench, pair.far());
    return pair;
  }

  /** Posts two receives of a message's size at the far station. */
  static void receives(Bench bench, QueuePair far) {
    bench.far().postReceives(far, 2, far.qpType() == QpType.UD ? BYTES + GRH : BYTES);
  }

  /** Posts a request. A datagram is addressed to the pair's far side. */
  static ErrorCase.Scene post(Bench bench, Bench.Pair pair, SendRequestList request) {
    if (pair.near().qpType() == QpType.UD) {
      request.ud(bench.near().ahTo(bench.far()), pair.far().qpNum(), bench.values().qkey());
    }
    Expect.posts(pair.near(), request);
    return ErrorCase.Scene.of(pair);
  }

  /**
   * Sends a message to a queue pair that no longer takes any, from a queue pair that does not know
   * it: it sends once, has a completion queue of its own, and never gives up.
   */
  static void late(Bench bench, Station from, Station to, int qpNum, QpType service) {
    QueuePair late = from.pd().createQp(from.qpInit(service).cq(from.context().createCq(16)));
    QpAttr values = Bench.attributes().timeout(0).ahAttr(from.pathTo(to)).destQpNum(qpNum);
    bench.bring(from, late, QpState.RTS, values);
    SendRequestList request = from.send(1, WrOpcode.SEND).sge(from.region(), 0, BYTES);
    if (service == QpType.UD) {
      request.ud(from.ahTo(to), qpNum, values.qkey());
    }
    Expect.posts(late, request);
  }

  /** A SEND of {@code bytes}. */
  static SendRequestList send(Bench bench, int bytes) {
    Station near = bench.near();
    return near.send(1, WrOpcode.SEND).sge(near.region(), 0, bytes);
  }

  /** A SEND of memory that may not be read. */
  static SendRequestList send(Bench bench, WrongMemory wrong) {
    WrongMemory.Place place = wrong.at(bench.near(), BYTES);
    return bench.near().send(1, WrOpcode.SEND).sge(place.address(), BYTES, place.lkey());
  }

  /** A receive into memory that may not be written. */
  static RecvRequestList receive(Bench bench, WrongMemory wrong, int bytes) {
    WrongMemory.Place place = wrong.at(bench.far(), bytes);
    return bench.far().receive(100).sge(place.address(), bytes, place.lkey());
  }

  /** A remote operation on the beginning of the far region. */
  static SendRequestList remote(Bench bench, WrOpcode opcode) {
    return remote(bench, opcode, bench.far().region());
  }

  /** A remote operation on memory that the far side may not let it access. */
  static SendRequestList remote(Bench bench, WrOpcode opcode, WrongMemory wrong) {
    WrongMemory.Place place = wrong.at(bench.far(), bytes(opcode));
    return remote(bench, opcode, place.address(), place.rkey());
  }

  private static boolean isAtomic(WrOpcode opcode) {
    return opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
  }

  private static int bytes(WrOpcode opcode) {
    return isAtomic(opcode) ? 8 : BYTES;
  }

  static SendRequestList remote(Bench bench, WrOpcode opcode, MemoryRegion there) {
    return remote(bench, opcode, there.address(), there.rkey());
  }

  static SendRequestList remote(Bench bench, WrOpcode opcode, long address, int rkey) {
    Station near = bench.near();
    SendRequestList request = near.send(1, opcode).sge(near.region(), 0, bytes(opcode));
    return isAtomic(opcode) ? request.atomic(address, rkey, 1, 2) : request.remote(address, rkey);
  }
}
