package org.roce4j.calls;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.conformance.backend.UdpBackend;

/** Tests of calls on a virtual network, or on the UDP sockets that a subclass names. */
abstract class PlayedCalls {
  /** The port of the devices whose calls these are. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface OnUdp {
    String value();
  }

  /** Where these calls are made. */
  final Backend backend() {
    OnUdp port = getClass().getAnnotation(OnUdp.class);
    return port == null ? new FabricBackend(1) : new UdpBackend(port.value());
  }

  /** New objects there. */
  final LiveObjects live() {
    return new LiveObjects(backend());
  }
}
