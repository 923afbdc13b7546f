package org.roce4j.simulation;

import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;

/** The memory of one end, from which it sends and into which it receives. */
record EndMemory(
    ModelledMemory all,
    Zone local,
    MemoryRegion localRegion,
    Zone receive,
    MemoryRegion receiveRegion) {

  /**
   * Sizes of the zones, bytes.
   *
   * @param local the zone to send from
   * @param receive the zone of receive requests
   * @param remote the zone that the peer reaches; 0 for none
   */
  record Sizes(int local, int receive, int remote) {}

  /**
   * @param localRights rights of the memory to send from
   */
  static EndMemory of(
      World world,
      ProtectionDomain pd,
      String name,
      Sizes sizes,
      int localRights,
      SplittableRandom random) {
    int bytes = sizes.local + sizes.receive + sizes.remote;
    int zones = sizes.remote > 0 ? 3 : 2;
    ModelledMemory all = new ModelledMemory(world.arena, name, bytes, zones, random.split());
    Zone local = all.zone("source memory", sizes.local);
    Zone receive = all.zone("receive memory", sizes.receive);
    return new EndMemory(
        all,
        local,
        pd.registerMemory(all.segment(local), localRights),
        receive,
        pd.registerMemory(all.segment(receive), AccessFlags.LOCAL_WRITE));
  }

  void deregister() {
    localRegion.close();
    receiveRegion.close();
  }
}
