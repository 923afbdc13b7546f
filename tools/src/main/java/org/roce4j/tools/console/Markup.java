package org.roce4j.tools.console;

/** Text in HTML and SVG. */
public final class Markup {
  private Markup() {}

  /** Escapes text for use between tags. */
  public static String text(String plain) {
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
