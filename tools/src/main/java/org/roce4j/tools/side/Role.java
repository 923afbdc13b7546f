package org.roce4j.tools.side;

/** The two sides; the client sends first. */
public enum Role {
  CLIENT("client"),
  SERVER("server");

  private final String label;

  Role(String label) {
    this.label = label;
  }

  /** The peer's role. */
  public Role other() {
    return this == CLIENT ? SERVER : CLIENT;
  }

  @Override
  public String toString() {
    return label;
  }
}
