package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
  void aFileThatIsRemovedWhileItIsOpenedDoesNotStayOpen() throws IOException {
    FileChannel channel = opened("domain");
    Files.delete(folder.resolve("domain"));
    assertThrows(NoSuchFileException.class, () -> NamingFile.of(channel, folder.resolve("domain")));
    assertFalse(channel.isOpen());
  }
}
