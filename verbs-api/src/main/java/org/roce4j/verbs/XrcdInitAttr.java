package org.roce4j.verbs;

import java.nio.file.Path;

/**
 * How an XRC domain is opened ({@code struct ibv_xrcd_init_attr}).
 *
 * @param file that names the domain to all who open it on this device; null: a domain of one's own
 *     ({@code fd} -1). The file is not read; its identity counts, not its name
 * @param oflags 0, or {@link #O_CREAT} with or without {@link #O_EXCL}
 */
public record XrcdInitAttr(Path file, int oflags) {
  /** The domain is made if it does not exist. */
  public static final int O_CREAT = 0100;

  /** With {@link #O_CREAT}: it must not be there. */
  public static final int O_EXCL = 0200;

  /** A domain of one's own. */
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
