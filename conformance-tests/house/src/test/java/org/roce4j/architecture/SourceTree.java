package org.roce4j.architecture;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The Java sources of every module. */
final class SourceTree {

  /** The repository: Maven runs a module's tests in the module's directory. */
  static final Path TOP = Path.of("").toAbsolutePath().getParent().getParent();

  /** Directories of programs that scripts run from their source. */
  private static final List<String> SCRIPTS =
      List.of(".ci", "benchmarks/peers", "conformance-tests/interop");

  private static final Set<Tree.Kind> BRANCHES =
      EnumSet.of(
          Tree.Kind.IF,
          Tree.Kind.FOR_LOOP,
          Tree.Kind.ENHANCED_FOR_LOOP,
          Tree.Kind.WHILE_LOOP,
          Tree.Kind.DO_WHILE_LOOP,
          Tree.Kind.SYNCHRONIZED,
          Tree.Kind.TRY);

  private SourceTree() {}

  /** All Java files, tests and programs of scripts included, in the order of their paths. */
  static List<Path> javaFiles() {
    return Stream.concat(
            modules().stream().map(m -> m.resolve("src")), SCRIPTS.stream().map(TOP::resolve))
        .flatMap(SourceTree::javaBelow)
        .toList();
  }

  /**
   * A method with a body.
   *
   * @param lines lines from its name to its last brace
   * @param branches its branches, loops, locks and {@code try}, without those of lambdas
   */
  record Method(Path file, String name, long lines, int branches) {}

  /** Every method of {@link #javaFiles}. */
  static List<Method> methods() {
    Parsed parsed = parse(javaFiles());
    List<Method> methods = new ArrayList<>();
    parsed.units.forEach(unit -> methodsOf(unit, parsed.trees.getSourcePositions(), methods));
    return methods;
  }

  /** Files as javac parses them, without resolved names. */
  record Parsed(List<CompilationUnitTree> units, DocTrees trees) {}

  static Parsed parse(List<Path> javaFiles) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  problem -> {},
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(javaFiles));
      List<CompilationUnitTree> units = new ArrayList<>();
      task.parse().forEach(units::add);
      return new Parsed(units, DocTrees.instance(task));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void methodsOf(
      CompilationUnitTree unit, SourcePositions positions, List<Method> into) {
    Path file = Path.of(unit.getSourceFile().toUri());
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitMethod(MethodTree method, Void unused) {
        BlockTree body = method.getBody();
        if (body != null) {
          long first = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, body));
          long last = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, body));
          String name = method.getName().toString();
          into.add(new Method(file, name, last - first, branches(body)));
        }
        return super.visitMethod(method, unused);
      }
    }.scan(unit, null);
  }

  private static int branches(BlockTree body) {
    int[] found = new int[1];
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitLambdaExpression(LambdaExpressionTree lambda, Void unused) {
        return null;
      }

      @Override
      public Void scan(Tree tree, Void unused) {
        found[0] += tree != null && BRANCHES.contains(tree.getKind()) ? 1 : 0;
        return super.scan(tree, unused);
      }
    }.scan(body, null);
    return found[0];
  }

  /** The calls of methods, as {@code Class.method} of a static one, in a file. */
  static List<MethodInvocationTree> calls(CompilationUnitTree unit, Pattern methods) {
    List<MethodInvocationTree> calls = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitMethodInvocation(MethodInvocationTree call, Void unused) {
        if (methods.matcher(call.getMethodSelect().toString()).matches()) {
          calls.add(call);
        }
        return super.visitMethodInvocation(call, unused);
      }
    }.scan(unit, null);
    return calls;
  }

  /** The names of the types that a file declares, nested ones included. */
  static List<String> types(CompilationUnitTree unit) {
    List<String> names = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitClass(ClassTree type, Void unused) {
        if (!type.getSimpleName().isEmpty()) {
          names.add(type.getSimpleName().toString());
        }
        return super.visitClass(type, unused);
      }
    }.scan(unit, null);
    return names;
  }

  /** The text of literals joined by {@code +}; null for another expression. */
  static String constant(ExpressionTree expression) {
    if (expression instanceof LiteralTree literal) {
      return String.valueOf(literal.getValue());
    }
    if (expression instanceof BinaryTree sum) {
      String left = constant(sum.getLeftOperand());
      String right = constant(sum.getRightOperand());
      return left == null || right == null ? null : left + right;
    }
    return null;
  }

  /** Every directory of a module's main sources that holds a Java file. */
  static List<Path> mainPackages() {
    return mainRoots().stream()
        .flatMap(SourceTree::javaBelow)
        .filter(f -> !f.endsWith("module-info.java"))
        .map(Path::getParent)
        .distinct()
        .toList();
  }

  /** The directories of each module's main sources. */
  static List<Path> mainRoots() {
    return modules().stream().map(m -> m.resolve("src/main/java")).toList();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The directories with a pom.xml, at most two levels below {@link #TOP}. */
  static List<Path> modules() {
    try (Stream<Path> poms = Files.find(TOP, 3, (f, a) -> f.endsWith("pom.xml"))) {
      return poms.map(Path::getParent).filter(d -> !d.equals(TOP)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Stream<Path> javaBelow(Path directory) {
    if (!Files.isDirectory(directory)) {
      return Stream.empty();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(f -> f.toString().endsWith(".java")).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
