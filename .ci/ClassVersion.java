import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;

/**
 * Gives class files an older version, for tools that cannot read ours: {@code java
 * ClassVersion.java MAJOR PLACE...}, where a place is a file or a directory. The jar plugin reads a
 * module descriptor with the Java that Maven runs on; the fuzzer instruments classes. Neither needs
 * a newer feature of the format. A file keeps its time: what depends on a new file is compiled
 * anew.
 */
class ClassVersion {
  private static final int MAJOR_AT = 6;

  static void main(String[] arguments) throws IOException {
    short major = Short.parseShort(arguments[0]);
    for (String place : List.of(arguments).subList(1, arguments.length)) {
      try (Stream<Path> files = Files.walk(Path.of(place))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
          lower(file, major);
        }
      }
    }
  }

  private static void lower(Path file, short major) throws IOException {
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
    if (content.getShort(MAJOR_AT) > major) {
      FileTime time = Files.getLastModifiedTime(file);
      Files.write(file, content.putShort(MAJOR_AT, major).array());
      Files.setLastModifiedTime(file, time);
    }
  }
}
