package org.roce4j.tools.pingpong;

/** The two ends: the client speaks first. */
enum Role {
  CLIENT("client"),
  SERVER("server");

  private final String label;

  Role(String label) {
    this.label = label;
  }

  Role other() {
    return this == CLIENT ? SERVER : CLIENT;
  }

  @Override
  public String toString() {
    return label;
  }
}
