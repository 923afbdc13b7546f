import com.google.googlejavaformat.java.Main;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks or repairs the layout of every Java file below a directory, all in one JVM.
 *
 * <p>Usage: {@code Format.java check|fix DIRECTORY}, with google-java-format on the class path.
 */
final class Format {

  private Format() {}

  public static void main(String[] args) throws Exception {
    boolean fix = args[0].equals("fix");
    Path root = Path.of(args[1]).toAbsolutePath().normalize();
    List<String> command = new ArrayList<>();
    command.addAll(fix ? List.of("--replace") : List.of("--dry-run", "--set-exit-if-changed"));
    command.addAll(sourcesBelow(root));

    StringWriter names = new StringWriter();
    PrintWriter errors = new PrintWriter(System.err, true);
    int status =
        new Main(new PrintWriter(names, true), errors, new ByteArrayInputStream(new byte[0]))
            .format(command.toArray(String[]::new));
    errors.flush();
    if (status != 0) {
      names.toString().lines().map(Path::of).map(root::relativize).forEach(System.err::println);
      System.err.println("The layout of these files is not google-java-format's. To repair it:");
      System.err.println("  ./format      (or: mvn -N verify -Dformat.fix)");
    }
    System.exit(status);
  }

  private static List<String> sourcesBelow(Path root) throws IOException {
    List<String> sources = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = directory.getFileName().toString();
            boolean skipped = name.equals("target") || name.equals(".git");
            return skipped && !directory.equals(root)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")) {
              sources.add(file.toString());
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }
}
