package org.roce4j.architecture;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.DirectiveTree;
import com.sun.source.tree.ExportsTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.ModuleTree;
import com.sun.source.tree.RequiresTree;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The module descriptors, compared with the imports of the sources. */
final class ModuleDescriptors {

  private record Row(Set<String> required, Set<String> handedOn, Map<String, Set<String>> exports) {
    boolean exports(String packageName, String to) {
      Set<String> readers = exports.get(packageName);
      return readers != null && (readers.isEmpty() || readers.contains(to));
    }
  }

  private final Map<String, Row> rows = new HashMap<>();
  private final Map<String, String> moduleOfPackage = new HashMap<>();
  private final Map<String, Set<String>> imports = new HashMap<>();

  ModuleDescriptors() {
    ModuleLayer.boot().modules().stream()
        .map(Module::getDescriptor)
        .forEach(m -> m.packages().forEach(p -> moduleOfPackage.put(p, m.name())));
    List<Path> roots =
        SourceTree.mainRoots().stream()
            .filter(r -> r.resolve("module-info.java").toFile().isFile())
            .toList();
    roots.forEach(this::read);
  }

  private void read(Path root) {
    List<CompilationUnitTree> units = SourceTree.parse(SourceTree.javaBelow(root).toList()).units();
    ModuleTree module =
        units.stream().map(CompilationUnitTree::getModule).filter(m -> m != null).findAny().get();
    String name = module.getName().toString();
    Set<String> imported = new TreeSet<>();
    for (CompilationUnitTree unit : units) {
      if (unit.getPackageName() != null) {
        moduleOfPackage.put(unit.getPackageName().toString(), name);
      }
      unit.getImports().forEach(i -> imported.add(packageOf(i)));
    }
    imports.put(name, imported);
    rows.put(name, row(module));
  }

  private static Row row(ModuleTree module) {
    Row row = new Row(new HashSet<>(Set.of("java.base")), new HashSet<>(), new HashMap<>());
    for (DirectiveTree directive : module.getDirectives()) {
      if (directive instanceof RequiresTree requires) {
        row.required.add(requires.getModuleName().toString());
        if (requires.isTransitive()) {
          row.handedOn.add(requires.getModuleName().toString());
        }
      } else if (directive instanceof ExportsTree exports) {
        Set<String> readers = new HashSet<>();
        if (exports.getModuleNames() != null) {
          exports.getModuleNames().forEach(reader -> readers.add(reader.toString()));
        }
        row.exports.put(exports.getPackageName().toString(), readers);
      }
    }
    return row;
  }

  /** The package of an imported class: the names before the first one with a capital. */
  private static String packageOf(ImportTree tree) {
    String name = ((MemberSelectTree) tree.getQualifiedIdentifier()).toString();
    return name.replaceFirst("\\.(\\p{Lu}.*|\\*)$", "");
  }

  Set<String> names() {
    return rows.keySet();
  }

  /** Imports that the compiler would refuse with these module descriptors. */
  List<String> unreadable() {
    List<String> found = new ArrayList<>();
    imports.forEach(
        (name, packages) -> {
          Set<String> reads = reads(name);
          for (String imported : packages) {
            String home = moduleOfPackage.get(imported);
            if (home == null || home.equals(name)) {
              continue; // of a library, or of this module
            }
            if (!reads.contains(home)) {
              found.add("%s imports %s and does not require %s".formatted(name, imported, home));
            } else if (rows.containsKey(home) && !rows.get(home).exports(imported, name)) {
              found.add("%s does not export %s to %s".formatted(home, imported, name));
            }
          }
        });
    return found;
  }

  private Set<String> reads(String name) {
    Set<String> reads = new HashSet<>();
    rows.get(name).required.forEach(required -> addWithHandedOn(required, reads));
    return reads;
  }

  private void addWithHandedOn(String module, Set<String> into) {
    if (!into.add(module)) {
      return;
    }
    if (rows.containsKey(module)) {
      rows.get(module).handedOn.forEach(next -> addWithHandedOn(next, into));
      return;
    }
    ModuleLayer.boot().findModule(module).stream()
        .flatMap(m -> m.getDescriptor().requires().stream())
        .filter(r -> r.modifiers().contains(ModuleDescriptor.Requires.Modifier.TRANSITIVE))
        .forEach(r -> addWithHandedOn(r.name(), into));
  }
}
