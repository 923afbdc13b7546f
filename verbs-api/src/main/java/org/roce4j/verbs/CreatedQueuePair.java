package org.roce4j.verbs;

/** For backends: a queue pair that tells what it was created with. */
public interface CreatedQueuePair extends QueuePair {
  /** The creation attributes, with the capabilities as granted; they do not change any more. */
  QpInitAttr created();

  @Override
  default ProtectionDomain pd() {
    return created().pd();
  }

  @Override
  default Object userContext() {
    return created().userContext();
  }

  @Override
  default QpType qpType() {
    return created().qpType();
  }

  @Override
  default CompletionQueue sendCq() {
    return created().sendCq();
  }

  @Override
  default CompletionQueue recvCq() {
    return created().recvCq();
  }

  @Override
  default SharedReceiveQueue srq() {
    return created().srq();
  }

  @Override
  default QpCapabilities cap() {
    return created().cap();
  }

  @Override
  default boolean sqSigAll() {
    return created().sqSigAll();
  }

  @Override
  default QpInitAttr initAttr() {
    return created().copy();
  }
}
