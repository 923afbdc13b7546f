package org.roce4j.verbs;

/**
 * What a parent domain is made of ({@code struct ibv_parent_domain_init_attr}). The structure's
 * functions that allocate the driver's memory have no counterpart.
 *
 * @param pd the protection domain that it stands for
 * @param td the thread domain of its objects; null: any thread may use them
 */
public record ParentDomainInitAttr(ProtectionDomain pd, ThreadDomain td) {
  /** Unwraps decorators. */
  public ParentDomainInitAttr {
    pd = Wrapper.innermost(pd);
    td = Wrapper.innermost(td);
  }

  /** A parent domain whose objects any thread may use. */
  public ParentDomainInitAttr(ProtectionDomain pd) {
    this(pd, null);
  }

  @Override
  public String toString() {
    return pd + (td == null ? ", of any thread" : ", of " + td);
  }
}
