package org.roce4j.tools.perf.bench;

/** Text in HTML and SVG. */
final class Markup {
  private Markup() {}

  /** Text as it stands between tags. */
  static String text(String plain) {
    return plain.replace("&", "&amp;").replace("<", "&lt;");
  }
}
