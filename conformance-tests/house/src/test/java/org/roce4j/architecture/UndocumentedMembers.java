package org.roce4j.architecture;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;

/**
 * Members of the public API without a comment, or with one that only repeats the name: public and
 * protected types, methods, constructors, fields and constants of the packages that a module
 * exports to everybody. A record's components are documented by {@code @param}; an overriding
 * method by the method that it overrides; a constant with a sentence as its argument, such as a
 * rule, by that sentence.
 */
final class UndocumentedMembers {
  private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+);");

  /** At least four words of text. */
  private static final Pattern SENTENCE = Pattern.compile("\"(?:\\S+ ){3}");

  private static final Set<String> FILLING = Set.of("a", "an", "the", "of", "is", "are", "its");

  private final Map<String, List<String>> byPackage = new TreeMap<>();

  /** The members by package, as {@code Type.member}; every exported package has an entry. */
  static Map<String, List<String>> found() {
    UndocumentedMembers members = new UndocumentedMembers();
    for (Path root : SourceTree.mainRoots()) {
      Path module = root.resolve("module-info.java");
      if (Files.exists(module)) {
        EXPORT
            .matcher(SourceTree.read(module))
            .results()
            .map((MatchResult export) -> export.group(1))
            .forEach(name -> members.look(name, root.resolve(name.replace('.', '/'))));
      }
    }
    return members.byPackage;
  }

  private void look(String packageName, Path directory) {
    List<String> missing = new ArrayList<>();
    byPackage.put(packageName, missing);
    List<Path> sources =
        SourceTree.javaBelow(directory).filter(file -> file.getParent().equals(directory)).toList();
    SourceTree.Parsed parsed = SourceTree.parse(sources);
    for (CompilationUnitTree unit : parsed.units()) {
      new Members(parsed.trees(), missing).scan(unit, null);
    }
  }

  /** Visits the visible members of a file. */
  private static final class Members extends TreePathScanner<Void, Void> {
    private final DocTrees docs;
    private final List<String> missing;

    Members(DocTrees docs, List<String> missing) {
      this.docs = docs;
      this.missing = missing;
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      if (!isVisible(type.getModifiers())) {
        return null;
      }
      note(type.getSimpleName().toString());
      return super.visitClass(type, null);
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      boolean overrides =
          method.getModifiers().getAnnotations().stream()
              .anyMatch(annotation -> annotation.getAnnotationType().toString().equals("Override"));
      if (isVisible(method.getModifiers()) && !overrides) {
        note(type().getSimpleName() + "." + method.getName());
      }
      return null; // a method's body has no members
    }

    @Override
    public Void visitVariable(VariableTree field, Void unused) {
      boolean component =
          type().getKind() == Tree.Kind.RECORD
              && !field.getModifiers().getFlags().contains(Modifier.STATIC);
      if (isVisible(field.getModifiers()) && !component && !isMadeOfSentence(field)) {
        note(type().getSimpleName() + "." + field.getName());
      }
      return null;
    }

    private boolean isMadeOfSentence(VariableTree field) {
      return type().getKind() == Tree.Kind.ENUM
          && field.getInitializer() instanceof NewClassTree made
          && made.getArguments().stream()
              .anyMatch(argument -> SENTENCE.matcher(argument.toString()).find());
    }

    @Override
    public Void visitBlock(BlockTree initializer, Void unused) {
      return null;
    }

    private ClassTree type() {
      return (ClassTree) getCurrentPath().getParentPath().getLeaf();
    }

    private boolean isVisible(ModifiersTree modifiers) {
      TreePath parent = getCurrentPath().getParentPath();
      boolean ofInterface =
          parent.getLeaf() instanceof ClassTree type
              && (type.getKind() == Tree.Kind.INTERFACE
                  || type.getKind() == Tree.Kind.ANNOTATION_TYPE);
      return modifiers.getFlags().contains(Modifier.PUBLIC)
          || modifiers.getFlags().contains(Modifier.PROTECTED)
          || ofInterface && !modifiers.getFlags().contains(Modifier.PRIVATE);
    }

    private void note(String name) {
      DocCommentTree comment = docs.getDocCommentTree(getCurrentPath());
      if (comment == null) {
        missing.add(name);
      } else if (repeats(name.substring(name.lastIndexOf('.') + 1), comment)) {
        missing.add(name + " repeats its name: " + comment);
      }
    }

    /** Whether the comment is plain text, and each of its words occurs in the name. */
    private static boolean repeats(String name, DocCommentTree comment) {
      boolean plain =
          comment.getBlockTags().isEmpty()
              && comment.getFullBody().stream().allMatch(TextTree.class::isInstance);
      List<String> parts = words(name.replaceAll("([a-z])([A-Z])", "$1 $2"));
      return plain
          && words(comment.toString()).stream()
              .filter(word -> !FILLING.contains(word))
              .allMatch(
                  word ->
                      parts.stream()
                          .anyMatch(part -> word.startsWith(part) || part.startsWith(word)));
    }

    private static List<String> words(String text) {
      return Stream.of(text.toLowerCase(Locale.ROOT).split("[^a-z0-9]+"))
          .filter(word -> !word.isEmpty())
          .toList();
    }
  }
}
