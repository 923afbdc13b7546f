package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * What a shared receive queue is created with ({@code struct ibv_srq_init_attr_ex}). Fluent; not
 * thread-safe.
 */
public final class SrqInitAttrEx {
  private SrqType srqType = SrqType.BASIC;
  private ProtectionDomain pd;
  private XrcDomain xrcd;
  private CompletionQueue cq;
  private Object userContext;
  private int maxWr = 1;
  private int maxSge = 1;

  /** A copy whose attributes can be changed independently. */
  public SrqInitAttrEx copy() {
    return new SrqInitAttrEx()
        .srqType(srqType)
        .pd(pd)
        .xrcd(xrcd)
        .cq(cq)
        .userContext(userContext)
        .maxWr(maxWr)
        .maxSge(maxSge);
  }

  /** Its type; default: {@link SrqType#BASIC}, for RC, UC and UD. */
  public SrqInitAttrEx srqType(SrqType value) {
    srqType = value;
    return this;
  }

  /**
   * The protection domain of its buffers; for XRC also of the memory that requests to this queue
   * read and write.
   */
  public SrqInitAttrEx pd(ProtectionDomain value) {
    pd = Wrapper.innermost(value);
    return this;
  }

  /** XRC only: its XRC domain. */
  public SrqInitAttrEx xrcd(XrcDomain value) {
    xrcd = Wrapper.innermost(value);
    return this;
  }

  /** XRC only: the completion queue of its receives. */
  public SrqInitAttrEx cq(CompletionQueue value) {
    cq = Wrapper.innermost(value);
    return this;
  }

  /** The program's own object ({@code srq_context}); may be null. */
  public SrqInitAttrEx userContext(Object value) {
    userContext = value;
    return this;
  }

  /** Requests it must hold, at least 1. */
  public SrqInitAttrEx maxWr(int value) {
    maxWr = value;
    return this;
  }

  /** Scatter entries per request. */
  public SrqInitAttrEx maxSge(int value) {
    maxSge = value;
    return this;
  }

  /** The kind of queue pairs that it serves. */
  public SrqType srqType() {
    return srqType;
  }

  /** The domain whose regions its receive requests may name. */
  public ProtectionDomain pd() {
    return pd;
  }

  /** The XRC domain; null for a basic queue. */
  public XrcDomain xrcd() {
    return xrcd;
  }

  /**
   * The completion queue of its receives; null for a basic queue, where each queue pair has its
   * own.
   */
  public CompletionQueue cq() {
    return cq;
  }

  /** The program's own object; null unless set. */
  public Object userContext() {
    return userContext;
  }

  /** Requests it must hold; 1 unless set. */
  public int maxWr() {
    return maxWr;
  }

  /** Scatter entries per request; 1 unless set. */
  public int maxSge() {
    return maxSge;
  }

  /** The part that every shared receive queue has. */
  public SrqInitAttr basic() {
    return new SrqInitAttr(userContext, maxWr, maxSge, 0);
  }

  @Override
  public String toString() {
    String extended = srqType == SrqType.XRC ? Wording.of(" in %s, cq %s", xrcd, cq) : "";
    return Wording.of("%s of %s%s, %s", srqType, pd, extended, basic());
  }
}
