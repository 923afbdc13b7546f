package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.Planted;
import org.roce4j.verbs.Errno;

/** The file that names an XRC domain is open while the domain exists, and never longer. */
class NamingFileTest {
  @TempDir Path folder;

  private FileChannel opened(String name) throws IOException {
    Path file = Files.createFile(folder.resolve(name));
    return FileChannel.open(file, StandardOpenOption.READ);
  }

  @Test
  void theFileIsOpenUntilItIsClosed() throws IOException {
    FileChannel channel = opened("domain");
    NamingFile file = NamingFile.of(channel, folder.resolve("domain"));
    assertTrue(channel.isOpen());
    file.close();
    assertFalse(channel.isOpen());
  }

  @Test
  void aFileThatIsNotThereNamesNoDomain() {
    refused(Errno.EBADF, () -> NamingFile.of(folder.resolve("missing")));
  }

  /** A path of a file system that somebody else has made. */
  @ParameterizedTest
  @EnumSource
  void aFileWithoutAttributesDoesNotStayOpen(Planted defect) throws IOException {
    FileChannel channel = opened("domain");
    Path strange =
        (Path)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Path.class},
                (_, _, _) -> {
                  defect.raise();
                  return null;
                });
    Throwable caught = assertThrows(Throwable.class, () -> NamingFile.of(channel, strange));
    assertSame(defect.thrown(), caught);
    assertFalse(channel.isOpen());
  }

  @Test
  void aFileThatIsRemovedWhileItIsOpenedDoesNotStayOpen() throws IOException {
    FileChannel channel = opened("domain");
    Files.delete(folder.resolve("domain"));
    assertThrows(NoSuchFileException.class, () -> NamingFile.of(channel, folder.resolve("domain")));
    assertFalse(channel.isOpen());
  }
}
