package org.roce4j.verbs;

/**
 * What a parent domain is made of ({@code struct ibv_parent_domain_init_attr}). The structure's
 * functions that allocate the driver's memory have no counterpart.
 *
 * @param pd the protection domain whose memory and queues its objects may be used with
 * @param td who uses its objects; null: anybody
 */
public record ParentDomainInitAttr(ProtectionDomain pd, ThreadDomain td) {
  /** Takes what decorators stand in front of. */
  public ParentDomainInitAttr {
    pd = Wrapper.innermost(pd);
    td = Wrapper.innermost(td);
  }

  /** Of a protection domain, used by any thread. */
  public ParentDomainInitAttr(ProtectionDomain pd) {
    this(pd, null);
  }

  @Override
  public String toString() {
    return pd + (td == null ? ", of any thread" : ", of " + td);
  }
}
