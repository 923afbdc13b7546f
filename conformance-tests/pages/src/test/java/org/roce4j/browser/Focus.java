package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;

/** Where the focus of the keyboard is on a page. */
final class Focus {
  /** Tells the controls of a page apart. */
  private static final String SIGN =
      "((c) => [c.localName, c.id, c.dataset.act, c.dataset.filter, c.dataset.side, c.dataset.goto,"
          + " c.textContent.length < 60 ? c.textContent : ''].filter(Boolean).join(' '))";

  private static final String FOCUSABLE =
      "[...document.querySelectorAll('button, a[href], input, select, summary, iframe,"
          + " [tabindex]')].filter((c) => !c.disabled && c.checkVisibility())";

  /** Why the focus is not visible: there is no outline, or it is cut off. */
  private static final String UNSEEN =
      """
      (() => {
        const c = document.activeElement;
        const style = getComputedStyle(c);
        const grown = parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth);
        if (c.localName === "iframe") return "";
        if (style.outlineStyle === "none" || !c.matches(":focus-visible")) return "no outline";
        const box = c.getBoundingClientRect();
        const cut = (clip) => [clip.left - box.left, clip.top - box.top, box.right - clip.right, box.bottom - clip.bottom]
          .filter((over) => over + grown > 0.5).length > 1;
        for (let up = c.parentElement; up; up = up.parentElement) {
          if (getComputedStyle(up).overflowY !== "visible" && cut(up.getBoundingClientRect())) return "cut by " + (up.id || up.localName);
        }
        return "";
      })()\
      """;

  private Focus() {}

  /** The controls that an eye sees and Tab does not lead to. */
  static List<?> unreached(BrowserTab tab) {
    List<?> seen = (List<?>) tab.ask(FOCUSABLE + ".map(" + SIGN + ")");
    List<String> reached = tour(tab);
    return seen.stream().filter(control -> !reached.contains(control)).toList();
  }

  /**
   * The controls that Tab reaches from the beginning of the page to its end, each seen. A page that
   * is drawn again beneath the first Tab ends the way before it has begun: then it begins again.
   */
  static List<String> tour(BrowserTab tab) {
    List<String> reached = walk(tab);
    return reached.isEmpty() ? walk(tab) : reached;
  }

  private static List<String> walk(BrowserTab tab) {
    tab.ask("document.activeElement.blur(); getSelection().collapse(document.body, 0)");
    List<String> reached = new ArrayList<>();
    while (!tab.key("Tab").text("document.activeElement.localName").equals("body")) {
      String control = tab.text(SIGN + "(document.activeElement)");
      if (tab.text("document.activeElement.localName").equals("iframe")
          && reached.contains(control)) {
        continue; // each control inside
      }
      reached.add(control);
      assertEquals("", tab.text(UNSEEN), control);
    }
    return reached;
  }

  /** Puts the focus on a control of the {@link #tour}. */
  static void on(BrowserTab tab, String control) {
    tab.ask("(%s).find((c) => %s(c) === `%s`).focus()".formatted(FOCUSABLE, SIGN, control));
  }
}
