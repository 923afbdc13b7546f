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

  /** What may not get worse: lower it when the longest file shrinks, never raise it. */
  private static final int LONGEST_FILE = 700;

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
  void noFileIsLongerThanPeopleHoldInTheirHead() {
    List<String> tooLong =
        SourceTree.javaFiles().stream()
            .filter(f -> SourceTree.read(f).lines().count() > LONGEST_FILE)
            .map(SourceTreeTest::relative)
            .toList();
    assertEquals(List.of(), tooLong, "files of more than " + LONGEST_FILE + " lines");
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

  private static boolean hasDescription(Path packageInfo) {
    return Files.isRegularFile(packageInfo)
        && SourceTree.read(packageInfo).replaceAll("(?s).*/\\*\\*(.*)\\*/.*", "$1").length() > 20;
  }

  private static String relative(Path path) {
    return SourceTree.TOP.relativize(path).toString();
  }
}
