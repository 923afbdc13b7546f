package org.roce4j.verbs;

import java.nio.file.Path;

/**
 * How an XRC domain is opened ({@code struct ibv_xrcd_init_attr}).
 *
 * @param file that names the domain to all who open it on this device; null: a private domain
 *     ({@code fd} -1). The file is not read; it is identified by its inode, not its name
 * @param oflags 0, or {@link #O_CREAT} with or without {@link #O_EXCL}
 */
public record XrcdInitAttr(Path file, int oflags) {
  /** The domain is made if it does not exist. */
  public static final int O_CREAT = 0100;

  /** With {@link #O_CREAT}: the domain must not exist yet. */
  public static final int O_EXCL = 0200;

  /** A private domain. */
  public XrcdInitAttr() {
    this(null, O_CREAT);
  }

  /** A domain that is shared through a file, and made if it does not exist. */
  public XrcdInitAttr(Path file) {
    this(file, O_CREAT);
  }

  @Override
  public String toString() {
    return file == null ? "a domain of this context alone" : "the domain of the file " + file;
  }
}
