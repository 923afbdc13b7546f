package org.roce4j.engine.qp;

import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/** The checks of an {@code ibv_ah_attr}, for queue pairs and address handles. */
public final class AddressVectors {
  /** The address vector of a path that does not exist, such as the alternate path. */
  static final AhAttr NONE = new AhAttr(false, null, 0, 0, 0, 0, 0);

  private static final int DEFAULT_HOP_LIMIT = 64;
  private static final int FLOW_LABEL_MASK = 0xfffff;

  private AddressVectors() {}

  /**
   * The path of an address vector, which must be a global route from an address of the device to
   * one of the same IP version.
   *
   * @param device has the ports and their GID tables
   * @throws VerbsException EINVAL
   */
  public static Path check(DeviceFacts device, AhAttr ah) {
    requireValue(
        ah != null && ah.isGlobal() && ah.grh() != null,
        "RoCE needs an ah_attr with a global route (is_global, grh)");
    RequiredArgument.checkRange(ah.portNum(), 1, device.ports(), "port_num of the address vector");
    GlobalRoute route = ah.grh();
    RequiredArgument.checkRange(route.hopLimit(), 0, 255, "hop_limit");
    RequiredArgument.checkRange(route.trafficClass(), 0, 255, "traffic_class");
    requireValue(route.dgid() != null && !route.dgid().isZero(), "the address vector has no dgid");
    Gid local = device.gid(ah.portNum(), route.sgidIndex());
    requireValue(
        !local.isZero(),
        Wording.of(
            "sgid_index %d is not in the table of port %d", route.sgidIndex(), ah.portNum()));
    requireValue(
        local.isIpv4Mapped() == route.dgid().isIpv4Mapped(),
        Wording.of(
            "sgid_index %d and dgid %s are not of one IP version",
            route.sgidIndex(), route.dgid()));
    return new Path(
        route.sgidIndex(),
        local.high(),
        local.low(),
        route.dgid().high(),
        route.dgid().low(),
        route.trafficClass(),
        route.hopLimit() == 0 ? DEFAULT_HOP_LIMIT : route.hopLimit());
  }

  /** The flow label of a checked address vector. */
  static int flowLabel(AhAttr ah) {
    return ah.grh().flowLabel() & FLOW_LABEL_MASK;
  }

  private static void requireValue(boolean fine, String remedy) {
    if (!fine) {
      throw new VerbsException(Errno.EINVAL, remedy);
    }
  }
}
