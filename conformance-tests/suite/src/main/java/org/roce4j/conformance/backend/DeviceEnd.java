package org.roce4j.conformance.backend;

import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.text.Wording;

/**
 * A device of the device list and the address at which a link reaches it.
 *
 * @param gidIndex GID index of the address
 * @param softRoce whether it is Linux's software device, whose deviations are known
 * @param connectionManager whether its backend has one
 * @param description description for the report
 */
record DeviceEnd(
    RdmaDevice device,
    int gidIndex,
    Gid address,
    boolean softRoce,
    boolean connectionManager,
    String description) {
  /** The vendor id of soft-RoCE. */
  private static final int SOFT_ROCE_VENDOR = 0xffffff;

  private static final int PORT = 1;

  /** Opens the device once, to read its description. */
  static DeviceEnd of(RdmaDevice device, int gidIndex) {
    try (Context context = device.open()) {
      DeviceAttr attr = context.queryDevice();
      Gid address = context.queryGidEx(PORT, gidIndex).gid();
      String provider = device.provider().name();
      // The emulator gives the same vendor.
      boolean softRoce = attr.vendorId() == SOFT_ROCE_VENDOR && provider.equals("hardware");
      String kind =
          softRoce
              ? SoftRoceDeviations.NAME + " of Linux " + System.getProperty("os.version")
              : Wording.of(
                  "vendor 0x%06x, part %d, firmware %s",
                  attr.vendorId(), attr.vendorPartId(), attr.firmwareVersion());
      String description = Wording.of("%s of backend %s, %s", device.name(), provider, kind);
      return new DeviceEnd(device, gidIndex, address, softRoce, connects(context), description);
    }
  }

  private static boolean connects(Context context) {
    try (RdmaCm cm = RdmaCm.open(context);
        EventChannel _ = cm.createEventChannel()) {
      return true;
    } catch (VerbsException e) {
      return false; // without librdmacm, or its kernel module
    }
  }
}
