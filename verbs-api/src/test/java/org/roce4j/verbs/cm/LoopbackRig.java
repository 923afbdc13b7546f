package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A connection manager over a backend that loses nothing; in the end everything is closed. */
abstract class LoopbackRig {
  final LoopbackProvider provider = new LoopbackProvider();
  final RdmaCm cm = RdmaCm.open(provider.context);
  final EventChannel channel = cm.createEventChannel();

  @AfterEach
  void nothingIsLeft() {
    cm.close();
    assertEquals(List.of(), provider.verbs.open);
    assertEquals(0, provider.openChannels);
  }
}
