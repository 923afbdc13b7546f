package org.roce4j.conformance.backend;

import java.util.List;
import java.util.Set;

/** A way to RDMA that can be held against the specification. Used by one thread. */
public interface Backend extends AutoCloseable {
  /** The name by which a command names it. */
  String name();

  /** Its description, with versions, for the report. */
  String description();

  /** Its capabilities beside the verbs; rows that need others are skipped with that reason. */
  Set<Capability> capabilities();

  /** Where it is known to do otherwise. */
  List<Deviation> deviations();

  /**
   * Opens two new contexts on devices that reach each other. Nothing of earlier links is left on
   * the devices.
   *
   * @throws org.roce4j.verbs.VerbsException if a device cannot be opened
   */
  Link open();

  @Override
  void close();
}
