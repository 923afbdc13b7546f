package org.roce4j.architecture;

import com.sun.source.tree.ArrayTypeTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.PrimitiveTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.TreePathScanner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;

/**
 * Fields of the protocol's state machines without a comment: those that change, and numbers, flags
 * and arrays. A collaborator that never changes is explained by its type.
 */
final class UndocumentedState {
  private static final Path ENGINE =
      SourceTree.TOP.resolve("emulator-core/src/main/java/org/roce4j/engine");

  private static final List<String> MACHINES =
      List.of("", "cm", "path", "qp", "requester", "responder");

  private UndocumentedState() {}

  /** The fields, as {@code Type.field}. */
  static List<String> found() {
    List<String> missing = new ArrayList<>();
    SourceTree.Parsed parsed =
        SourceTree.parse(MACHINES.stream().flatMap(UndocumentedState::files).toList());
    for (CompilationUnitTree unit : parsed.units()) {
      new Fields(parsed.trees(), missing).scan(unit, null);
    }
    return missing;
  }

  private static Stream<Path> files(String machine) {
    Path directory = ENGINE.resolve(machine);
    return SourceTree.javaBelow(directory).filter(file -> file.getParent().equals(directory));
  }

  /** Visits the fields of a file. */
  private static final class Fields extends TreePathScanner<Void, Void> {
    private final DocTrees docs;
    private final List<String> missing;

    Fields(DocTrees docs, List<String> missing) {
      this.docs = docs;
      this.missing = missing;
    }

    @Override
    public Void visitVariable(VariableTree variable, Void unused) {
      if (getCurrentPath().getParentPath().getLeaf() instanceof ClassTree type
          && type.getKind() != Tree.Kind.RECORD
          && isState(variable)
          && docs.getDocComment(getCurrentPath()) == null) {
        missing.add(type.getSimpleName() + "." + variable.getName());
      }
      return super.visitVariable(variable, unused);
    }

    private static boolean isState(VariableTree field) {
      Set<Modifier> modifiers = field.getModifiers().getFlags();
      boolean plain =
          field.getType() instanceof PrimitiveTypeTree || field.getType() instanceof ArrayTypeTree;
      return !modifiers.contains(Modifier.STATIC) && (plain || !modifiers.contains(Modifier.FINAL));
    }
  }
}
