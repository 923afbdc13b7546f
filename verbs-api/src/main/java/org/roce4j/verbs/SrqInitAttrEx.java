package org.roce4j.verbs;

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

  public SrqInitAttrEx srqType(SrqType value) {
    srqType = value;
    return this;
  }

  /**
   * Whose regions its buffers are; of XRC also whose memory requests that name it read and write.
   */
  public SrqInitAttrEx pd(ProtectionDomain value) {
    pd = Wrapper.innermost(value);
    return this;
  }

  /** XRC alone: the domain that it is in. */
  public SrqInitAttrEx xrcd(XrcDomain value) {
    xrcd = Wrapper.innermost(value);
    return this;
  }

  /** XRC alone: where its receives complete. */
  public SrqInitAttrEx cq(CompletionQueue value) {
    cq = Wrapper.innermost(value);
    return this;
  }

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

  public SrqType srqType() {
    return srqType;
  }

  public ProtectionDomain pd() {
    return pd;
  }

  public XrcDomain xrcd() {
    return xrcd;
  }

  public CompletionQueue cq() {
    return cq;
  }

  public Object userContext() {
    return userContext;
  }

  public int maxWr() {
    return maxWr;
  }

  public int maxSge() {
    return maxSge;
  }

  /** The part that every shared receive queue has. */
  public SrqInitAttr basic() {
    return new SrqInitAttr(userContext, maxWr, maxSge, 0);
  }

  @Override
  public String toString() {
    String extended = srqType == SrqType.XRC ? " in %s, cq %s".formatted(xrcd, cq) : "";
    return "%s of %s%s, %s".formatted(srqType, pd, extended, basic());
  }
}
