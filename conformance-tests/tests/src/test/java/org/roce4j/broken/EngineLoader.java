package org.roce4j.broken;

import org.roce4j.suite.CopyLoader;

/** The project's classes with a mistake in one of them. */
final class EngineLoader extends CopyLoader {
  private static final String SHARED = "org.roce4j.broken.";

  private final Mistake mistake;
  private String mistaken;
  private RuntimeException problem;

  /**
   * @param mistake null for no mistake
   */
  EngineLoader(Mistake mistake) {
    this.mistake = mistake;
  }

  /**
   * @throws IllegalStateException if the mistake could not be made in the classes loaded so far:
   *     then a failure means nothing
   */
  synchronized void requireMistake() {
    if (problem != null) {
      throw new IllegalStateException("the table of broken engines must follow", problem);
    }
    if (mistaken == null) {
      throw new IllegalStateException("no class was loaded that could be changed as " + mistake);
    }
  }

  @Override
  protected boolean isShared(String name) {
    return name.startsWith(SHARED);
  }

  @Override
  protected byte[] changed(String name, byte[] original) {
    return mistake != null && mistake.concerns(name) ? make(name, original) : original;
  }

  private synchronized byte[] make(String name, byte[] original) {
    if (problem != null) {
      throw problem; // the first one has the reason
    }
    try {
      if (mistaken != null) {
        throw new IllegalStateException("%s is in %s and %s".formatted(mistake, mistaken, name));
      }
      mistaken = name;
      return mistake.make(original);
    } catch (RuntimeException e) {
      problem = e;
      throw e;
    }
  }
}
