package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The JUnit test that a lab saves. */
final class SavedLab {
  private SavedLab() {}

  /** Compiles and runs it as a user would who puts the file among other tests. */
  static void passes(String source, Path directory) throws IOException, ClassNotFoundException {
    Matcher named = Pattern.compile("\\bclass (\\w+)").matcher(source);
    assertTrue(named.find(), source);
    String name = named.group(1);
    Path file = Files.writeString(directory.resolve(name + ".java"), source);
    String[] options = {
      "-cp", System.getProperty("java.class.path"), "-d", directory.toString(), file.toString()
    };
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, options), source);
    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {directory.toUri().toURL()}, SavedLab.class.getClassLoader())) {
      SummaryGeneratingListener said = new SummaryGeneratingListener();
      LauncherFactory.create()
          .execute(
              LauncherDiscoveryRequestBuilder.request()
                  .selectors(selectClass(loader.loadClass(name)))
                  .build(),
              said);
      assertEquals(1, said.getSummary().getTestsSucceededCount(), source);
    }
  }
}
