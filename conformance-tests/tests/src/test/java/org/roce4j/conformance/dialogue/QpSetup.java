package org.roce4j.conformance.dialogue;

import org.roce4j.engine.DeviceLimits;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;

/**
 * How a {@link QpUnderTest} is made: the defaults suit most dialogues, these methods change what
 * matters. Fluent, not thread-safe.
 */
public final class QpSetup {
  static final int ALL_REMOTE =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

  final QpType type;
  Gid device = Gid.parse("10.0.0.1");
  Gid another;
  Gid[] peers = {Gid.parse("10.0.0.2"), Gid.parse("10.0.0.3")};
  final QpAttr attributes =
      QpBringUp.attributes()
          .pathMtu(Mtu.MTU_256)
          .sqPsn(0x111111)
          .rqPsn(0x222222)
          .maxRdAtomic(4)
          .maxDestRdAtomic(4)
          .qkey(0x1234);
  int regionAccess = AccessFlags.LOCAL_WRITE | ALL_REMOTE | AccessFlags.MW_BIND;
  int sendCqe = 256;
  int recvCqe = 256;
  int maxSendWr = 64;
  int maxRecvWr = 64;
  int sharedReceiveRequests;
  boolean signalAll = true;
  DeviceLimits limits = DeviceLimits.DEFAULT;

  private QpSetup(QpType type) {
    this.type = type;
  }

  public static QpSetup rc() {
    return new QpSetup(QpType.RC);
  }

  public static QpSetup uc() {
    return new QpSetup(QpType.UC);
  }

  public static QpSetup ud() {
    return new QpSetup(QpType.UD);
  }

  public QpUnderTest inInit() {
    return new QpUnderTest(this).toInit();
  }

  public QpUnderTest inRtr() {
    return inInit().toRtr();
  }

  public QpUnderTest inRts() {
    return inRtr().toRts();
  }

  /** Addresses of the device and of the wire's end; the first of the latter is the peer's. */
  public QpSetup addresses(String deviceAddress, String... peerAddresses) {
    device = Gid.parse(deviceAddress);
    peers = new Gid[peerAddresses.length];
    for (int i = 0; i < peers.length; i++) {
      peers[i] = Gid.parse(peerAddresses[i]);
    }
    return this;
  }

  /** The device has this address too; the queue pair uses the first. */
  public QpSetup alsoAt(Gid address) {
    another = address;
    return this;
  }

  public QpSetup mtu(Mtu value) {
    attributes.pathMtu(value);
    return this;
  }

  /** First PSN of the device's requests, and of the peer's. */
  public QpSetup psns(int here, int there) {
    attributes.sqPsn(here).rqPsn(there);
    return this;
  }

  /** Local ACK timeout code. */
  public QpSetup timeout(int code) {
    attributes.timeout(code);
    return this;
  }

  public QpSetup retryCount(int retries) {
    attributes.retryCnt(retries);
    return this;
  }

  public QpSetup rnrRetry(int retries) {
    attributes.rnrRetry(retries);
    return this;
  }

  public QpSetup minRnrTimer(int code) {
    attributes.minRnrTimer(code);
    return this;
  }

  public QpSetup maxRdAtomic(int requests) {
    attributes.maxRdAtomic(requests);
    return this;
  }

  public QpSetup maxDestRdAtomic(int requests) {
    attributes.maxDestRdAtomic(requests);
    return this;
  }

  /** Remote rights of the queue pair. */
  public QpSetup qpAccess(int flags) {
    attributes.qpAccessFlags(flags);
    return this;
  }

  /** Rights of the memory region. */
  public QpSetup regionAccess(int flags) {
    regionAccess = flags;
    return this;
  }

  public QpSetup sendCqe(int entries) {
    sendCqe = entries;
    return this;
  }

  public QpSetup recvCqe(int entries) {
    recvCqe = entries;
    return this;
  }

  public QpSetup queues(int sendRequests, int recvRequests) {
    maxSendWr = sendRequests;
    maxRecvWr = recvRequests;
    return this;
  }

  /** Receives from a shared queue of so many requests. */
  public QpSetup sharedReceiveQueue(int requests) {
    sharedReceiveRequests = requests;
    return this;
  }

  /** Only requests that ask for it are signaled. */
  public QpSetup signalOnRequest() {
    signalAll = false;
    return this;
  }

  public QpSetup qkey(int key) {
    attributes.qkey(key);
    return this;
  }

  public QpSetup limits(DeviceLimits value) {
    limits = value;
    return this;
  }
}
