package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The words for what became of a datagram. */
class FateTextTest {
  @Test
  void everyReasonButAFilterOrAPlanHasItsOwnWords() {
    List<DropReason> reasons =
        Stream.of(DropReason.values()).filter(reason -> reason != DropReason.FILTERED).toList();
    List<String> told = new ArrayList<>();
    Fabric fabric = new Fabric(FabricOptions.of(1));
    fabric.tap(
        new FabricObserver() {
          @Override
          public void delivered(long nowNs, FabricDatagram datagram) {
            reasons.forEach(reason -> told.add(FateText.dropped(datagram, reason)));
          }
        });
    try (FabricPeer sender = new FabricPeer(fabric, "10.0.0.1");
        FabricPeer receiver = new FabricPeer(fabric, "10.0.0.2")) {
      sender.sendFrom(0xC777, receiver.gid(), 7, 100);
      FabricTest.drain(fabric);
    }
    assertEquals(reasons.stream().map(reason -> "lost: " + reason.text()).toList(), told);
  }
}
