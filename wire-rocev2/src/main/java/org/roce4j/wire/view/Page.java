package org.roce4j.wire.view;

import java.util.List;
import java.util.stream.Collectors;

/** Assembles the page from the files beside this class and the data. */
final class Page {
  private static final List<String> SCRIPTS =
      List.of(
          "controls.js",
          "model.js",
          "filter.js",
          "rows.js",
          "ladder.js",
          "picture.js",
          "paper.js",
          "sequence.js",
          "table.js",
          "detail.js",
          "app.js");

  private Page() {}

  static String of(View view) {
    String page = HeaderLayout.resource("view.html");
    String scripts = SCRIPTS.stream().map(HeaderLayout::resource).collect(Collectors.joining("\n"));
    page = insert(page, "/* style */", HeaderLayout.resource("view.css"));
    page = insert(page, "/* script */", scripts);
    return insert(page, "/* data */", PageData.json(view));
  }

  private static String insert(String page, String place, String part) {
    int at = page.indexOf(place);
    return page.substring(0, at) + part + page.substring(at + place.length());
  }
}
