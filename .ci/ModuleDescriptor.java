import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Gives a module descriptor the class file version of Java 11: the jar plugin reads it with the
 * Java that Maven runs on, which may be older than ours. A descriptor that has that version is not
 * written again, for modules that depend on one with a new file are compiled anew.
 */
class ModuleDescriptor {
  private static final int MAJOR_VERSION_AT = 6;
  private static final short JAVA_11 = 55;

  static void main(String[] arguments) throws IOException {
    Path descriptor = Path.of(arguments[0]);
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(descriptor));
    if (content.getShort(MAJOR_VERSION_AT) > JAVA_11) {
      Files.write(descriptor, content.putShort(MAJOR_VERSION_AT, JAVA_11).array());
    }
  }
}
