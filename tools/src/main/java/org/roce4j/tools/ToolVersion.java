package org.roce4j.tools;

import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: the version in the jar's manifest and the Java it runs on. */
final class ToolVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = ToolVersion.class.getPackage().getImplementationVersion();
    return new String[] {
      "roce4j " + (version == null ? "(unpackaged)" : version),
      "Java "
          + Runtime.version()
          + " on "
          + System.getProperty("os.name")
          + " "
          + System.getProperty("os.arch")
    };
  }
}
