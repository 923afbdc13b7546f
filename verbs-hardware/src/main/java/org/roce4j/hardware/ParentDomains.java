package org.roce4j.hardware;

import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.ThreadDomain;

/** How a context makes parent domains. */
final class ParentDomains {
  private final HardwareContext context;

  ParentDomains(HardwareContext context) {
    this.context = context;
  }

  ProtectionDomain allocParent(ParentDomainInitAttr attr) {
    HardwareProtectionDomain pd = pd(attr.pd());
    if (attr.td() == null) {
      return pd.inside(() -> allocParent(pd, 0));
    }
    HardwareThreadDomain td = td(attr.td());
    HardwareProtectionDomain parent = pd.inside(() -> td.inside(() -> allocParent(pd, td.address)));
    parent.alsoMadeWith(td);
    return parent;
  }

  private HardwareProtectionDomain allocParent(HardwareProtectionDomain pd, long td) {
    return context.verb(
        frame ->
            context.track(
                HardwareProtectionDomain.parent(
                    pd, context.memory().allocParentDomain(frame, pd.address, td))));
  }

  private HardwareProtectionDomain pd(ProtectionDomain named) {
    if (named instanceof HardwareProtectionDomain own && own.context == context) {
      return own;
    }
    throw RequiredArgument.foreign(named, "pd");
  }

  private HardwareThreadDomain td(ThreadDomain named) {
    if (named instanceof HardwareThreadDomain own && own.context == context) {
      return own;
    }
    throw RequiredArgument.foreign(named, "td");
  }
}
