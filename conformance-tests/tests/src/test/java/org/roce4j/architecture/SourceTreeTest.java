package org.roce4j.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The laws about the sources themselves. */
class SourceTreeTest {

  /** A method is seen whole. */
  private static final int LONGEST_METHOD = 40;

  /** Methods that are longer, tables apart: lower it when one of them shrinks, never raise it. */
  private static final int LONGER_METHODS = 2;

  /** Their methods list rows. */
  private static final Pattern TABLES =
      Pattern.compile(".*/conformance/(table|error|remote)/\\w+\\.java");

  private static final Pattern LEFT_FOR_LATER = Pattern.compile("\\b(TO" + "DO|FIX" + "ME)\\b");

  @Test
  void theSourcesOfEveryModuleAreFound() {
    List<Path> packages = SourceTree.mainPackages();
    for (String module : List.of("verbs-api", "wire-rocev2", "emulator-core")) {
      assertTrue(
          packages.stream().anyMatch(p -> p.startsWith(SourceTree.TOP.resolve(module))), module);
    }
  }

  @Test
  void everyPackageSaysWhichDoorItIs() {
    List<String> silent =
        SourceTree.mainPackages().stream()
            .filter(p -> !hasDescription(p.resolve("package-info.java")))
            .map(SourceTreeTest::relative)
            .toList();
    assertEquals(List.of(), silent, "packages whose package-info is missing or says nothing");
  }

  @Test
  void fewMethodsAreLongerThanPeopleHoldInTheirHead() {
    List<SourceTree.Method> tooLong =
        SourceTree.methods().stream()
            .filter(m -> m.lines() > LONGEST_METHOD && m.statements() > 2)
            .filter(m -> !TABLES.matcher(m.file().toString()).matches())
            .toList();
    assertTrue(
        tooLong.size() <= LONGER_METHODS,
        () ->
            "%d methods of more than %d lines, of which %d were there: %s"
                .formatted(tooLong.size(), LONGEST_METHOD, LONGER_METHODS, tooLong));
  }

  @Test
  void nothingIsLeftForLaterInTheSources() {
    List<String> unfinished =
        SourceTree.javaFiles().stream()
            .filter(f -> LEFT_FOR_LATER.matcher(SourceTree.read(f)).find())
            .map(SourceTreeTest::relative)
            .toList();
    assertEquals(List.of(), unfinished);
  }

  @Test
  void whatModulesImportOfEachOtherIsExportedAndRequired() {
    ModuleDescriptors modules = new ModuleDescriptors();
    assertTrue(modules.names().containsAll(List.of("org.roce4j.verbs", "org.roce4j.emulator")));
    assertEquals(List.of(), modules.unreadable(), "repair module-info.java");
  }

  private static boolean hasDescription(Path packageInfo) {
    return Files.isRegularFile(packageInfo)
        && SourceTree.read(packageInfo).replaceAll("(?s).*/\\*\\*(.*)\\*/.*", "$1").length() > 20;
  }

  private static String relative(Path path) {
    return SourceTree.TOP.relativize(path).toString();
  }
}
