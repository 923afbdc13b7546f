package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** The file that names an XRC domain is open once while the domain is there, and not longer. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the open files are those of /proc")
class XrcDomainFileTest {
  private static final int CREATE = XrcdInitAttr.O_CREAT;
  private static final int EXCLUSIVE = CREATE | XrcdInitAttr.O_EXCL;
  private static final int UNKNOWN = 1 << 20;

  @TempDir private Path folder;
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final Context context = lone.pd.context();
  private Path file;

  @BeforeEach
  void make() throws IOException {
    file = Files.createFile(folder.resolve("domain")).toRealPath();
  }

  private XrcDomain open(int oflags) {
    return context.openXrcd(new XrcdInitAttr(file, oflags));
  }

  private void refused(Errno errno, int oflags) {
    assertEquals(errno, assertThrows(VerbsException.class, () -> open(oflags)).errno());
  }

  private long timesOpen() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(this::isOfTheFile).count();
    }
  }

  private boolean isOfTheFile(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).equals(file);
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  @Test
  void ofADomainThatIsOpenedTwice() throws IOException {
    XrcDomain one = open(EXCLUSIVE);
    assertEquals(1, timesOpen());
    XrcDomain other = open(0);
    XrcDomain third = open(CREATE);
    assertEquals(1, timesOpen());
    one.close();
    third.close();
    assertEquals(1, timesOpen());
    other.close();
    assertEquals(0, timesOpen());
    refused(Errno.EAGAIN, 0);
  }

  @Test
  void ofARefusalToOpen() throws IOException {
    refused(Errno.EAGAIN, 0);
    refused(Errno.EINVAL, CREATE | UNKNOWN);
    assertEquals(0, timesOpen());
    open(CREATE);
    refused(Errno.EINVAL, EXCLUSIVE);
    refused(Errno.EINVAL, UNKNOWN);
    assertEquals(1, timesOpen());
  }

  @Test
  void ofAContextThatCloses() throws IOException {
    open(CREATE);
    open(CREATE);
    context.close();
    assertEquals(0, timesOpen());
    assertEquals(Errno.ENODEV, assertThrows(VerbsException.class, () -> open(CREATE)).errno());
    assertEquals(0, timesOpen());
  }
}
