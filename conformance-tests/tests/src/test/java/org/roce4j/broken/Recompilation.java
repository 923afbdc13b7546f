package org.roce4j.broken;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles changed sources into memory, against the class path of the tests. */
final class Recompilation {
  /** The repository: Maven runs the tests of a module in the module's directory. */
  private static final Path TOP = Path.of("").toAbsolutePath().getParent().getParent();

  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  private final StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);

  /** The changed classes by name, nested ones too. */
  Map<String, byte[]> compile(List<SourceChange> changes) throws IOException {
    Map<String, String> sources = new LinkedHashMap<>();
    for (SourceChange change : changes) {
      String source = sources.get(change.className());
      sources.put(change.className(), change.apply(source != null ? source : original(change)));
    }
    List<JavaFileObject> units = new ArrayList<>();
    sources.forEach((name, text) -> units.add(new Source(name, text)));
    DiagnosticCollector<JavaFileObject> complaints = new DiagnosticCollector<>();
    try (InMemory output = new InMemory(files)) {
      List<String> options =
          List.of("-classpath", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
      if (!compiler.getTask(null, output, complaints, options, null, units).call()) {
        throw new IllegalStateException("the change does not compile: " + errors(complaints));
      }
      return output.classes();
    }
  }

  private static String original(SourceChange change) throws IOException {
    return Files.readString(
        TOP.resolve(change.module())
            .resolve("src/main/java")
            .resolve(change.className().replace('.', '/') + ".java"));
  }

  private static List<Diagnostic<?>> errors(DiagnosticCollector<JavaFileObject> complaints) {
    List<Diagnostic<?>> errors = new ArrayList<>();
    for (Diagnostic<?> complaint : complaints.getDiagnostics()) {
      if (complaint.getKind() == Diagnostic.Kind.ERROR) {
        errors.add(complaint);
      }
    }
    return errors;
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String className, String text) {
      super(URI.create("broken:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Keeps what is compiled; the manager beneath stays open for the next compilation. */
  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> outputs = new HashMap<>();

    InMemory(JavaFileManager files) {
      super(files);
    }

    Map<String, byte[]> classes() {
      Map<String, byte[]> classes = new HashMap<>();
      outputs.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
      return classes;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      outputs.put(className, bytes);
      return new SimpleJavaFileObject(URI.create("broken:///" + className + ".class"), kind) {
        @Override
        public OutputStream openOutputStream() {
          return bytes;
        }
      };
    }

    @Override
    public void close() {}
  }
}
