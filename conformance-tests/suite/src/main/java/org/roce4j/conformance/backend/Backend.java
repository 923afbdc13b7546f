package org.roce4j.conformance.backend;

import java.util.List;
import java.util.Set;

/** A way to RDMA that can be held against the specification. Used by one thread. */
public interface Backend extends AutoCloseable {
  /** The name by which a command names it. */
  String name();

  /** What it is, with versions, for the report. */
  String description();

  /** What it can beside the verbs; rows that need more are skipped, saying so. */
  Set<Capability> capabilities();

  /** Where it is known to do otherwise. */
  List<Deviation> deviations();

  /**
   * Opens two new contexts on devices that reach each other. They are as good as new: whatever
   * earlier links left behind is gone.
   *
   * @throws org.roce4j.verbs.VerbsException if the devices cannot be had
   */
  Link open();

  @Override
  void close();
}
