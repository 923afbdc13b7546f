package org.roce4j.tools.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.Markup;
import org.roce4j.verbs.text.Wording;

/** A page that is written part by part: its body, styles and scripts. */
public final class ReportPage {
  private static final String SHELL =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <link rel="icon" href="data:,">
      <title>%s</title>
      <style>
      %s
      </style>
      </head>
      <body>
      %s
      <script>
      %s
      </script>
      </body>
      </html>
      """;

  /** The path in the artifact of uPlot, whose version is also in the pom. */
  private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/dist/uPlot";

  private final String title;
  private final StringBuilder body = new StringBuilder();
  private final List<String> styles = new ArrayList<>();
  private final List<String> scripts = new ArrayList<>();

  /** A page with the style of all reports. */
  public ReportPage(String title) {
    this.title = title;
    style(ReportPage.class, "report.css");
  }

  /** Appends markup; the caller has escaped the text in it. */
  public ReportPage add(String markup) {
    body.append(markup);
    return this;
  }

  /** Appends an element that holds text. */
  public ReportPage add(String element, String text) {
    String name = element.split(" ", 2)[0];
    return add("<" + element + ">" + Markup.text(text) + "</" + name + ">\n");
  }

  /** Carries uPlot, by which later scripts draw charts. */
  public ReportPage charts() {
    return style(ReportPage.class, UPLOT + ".min.css")
        .script(ReportPage.class, UPLOT + ".iife.min.js");
  }

  /** Includes a style sheet next to a class, or at a path that begins with a slash. */
  public ReportPage style(Class<?> beside, String name) {
    styles.add(resource(beside, name));
    return this;
  }

  /** Carries a script; see {@link #style}. */
  public ReportPage script(Class<?> beside, String name) {
    scripts.add(resource(beside, name));
    return this;
  }

  /** Defines a constant for the scripts after it. */
  public ReportPage data(String name, Object value) {
    // In a script, the letters of an end tag would end it.
    scripts.add("const " + name + " = " + Json.text(value).replace("<", "\\u003c") + ";");
    return this;
  }

  /** The page. */
  public String text() {
    return Wording.of(
        SHELL, Markup.text(title), String.join("\n", styles), body, String.join("\n", scripts));
  }

  private static String resource(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("a part of the page is missing: " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
