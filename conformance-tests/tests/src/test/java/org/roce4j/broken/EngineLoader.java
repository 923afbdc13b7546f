package org.roce4j.broken;

import java.io.IOException;
import java.io.InputStream;

/**
 * Loads a second copy of the project's classes, one of them with a mistake. These classes see each
 * other only; all other classes, such as JUnit's, are the parent's.
 */
final class EngineLoader extends ClassLoader {
  private static final String OURS = "org.roce4j.";
  private static final String SHARED = "org.roce4j.broken.";

  private final Mistake mistake;
  private String mistaken;
  private RuntimeException problem;

  /**
   * @param mistake null for no mistake
   */
  EngineLoader(Mistake mistake) {
    super(EngineLoader.class.getClassLoader());
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
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS) || name.startsWith(SHARED)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] bytes = original(name);
    if (mistake != null && mistake.concerns(name)) {
      bytes = make(name, bytes);
    }
    return defineClass(name, bytes, 0, bytes.length);
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

  private byte[] original(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
