package org.roce4j.suite;

import java.io.IOException;
import java.io.InputStream;

/**
 * Loads a second copy of the project's classes, some of them changed. These classes see each other
 * only; all other classes, such as JUnit's, are the parent's.
 */
public abstract class CopyLoader extends ClassLoader {
  private static final String OURS = "org.roce4j.";

  protected CopyLoader() {
    super(CopyLoader.class.getClassLoader());
  }

  /** Whether both copies use the parent's class of this name. */
  protected abstract boolean isShared(String name);

  /** The class file that is loaded instead of the original. */
  protected abstract byte[] changed(String name, byte[] original);

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS) || isShared(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = changed(name, in.readAllBytes());
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
