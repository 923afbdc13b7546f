package org.roce4j.browser;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.tools.console.Json;

/** A tab of {@link Chromium}: opens pages, evaluates JavaScript, presses keys and the mouse. */
final class BrowserTab implements WebSocket.Listener, AutoCloseable {
  private static final long PATIENCE_S = 120;

  private final StringBuilder message = new StringBuilder();
  private final AtomicInteger calls = new AtomicInteger();
  private final Map<Integer, CompletableFuture<Map<?, ?>>> answers = new ConcurrentHashMap<>();
  private final List<String> problems = new CopyOnWriteArrayList<>();
  private volatile CompletableFuture<Void> loaded = new CompletableFuture<>();
  private WebSocket socket;

  private BrowserTab() {}

  static BrowserTab open(HttpClient http, URI address) {
    BrowserTab tab = new BrowserTab();
    tab.socket = http.newWebSocketBuilder().buildAsync(address, tab).join();
    for (String domain : List.of("Page", "Runtime", "Log")) {
      tab.call(domain + ".enable", Map.of());
    }
    return tab;
  }

  /** Sets the size in CSS pixels, and whether the user prefers dark pages. */
  BrowserTab look(int width, int height, boolean dark) {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    String scheme = dark ? "dark" : "light";
    call(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    return this;
  }

  /**
   * Opens a file and waits until it is displayed. The number in the address makes it another
   * document each time, even if only the fragment differs.
   */
  BrowserTab show(Path page, String fragment) {
    navigate(page.toUri() + "?" + calls.get() + (fragment.isEmpty() ? "" : "#" + fragment));
    return this;
  }

  /** Opens an address and waits until it is displayed. */
  BrowserTab visit(String address) {
    navigate(address);
    return this;
  }

  /** Shows this tab and hides the others, whose pages then draw no frames. */
  BrowserTab front() {
    call("Page.bringToFront", Map.of());
    return this;
  }

  private void navigate(String address) {
    loaded = new CompletableFuture<>();
    call("Page.navigate", Map.of("url", address));
    await(loaded, address);
  }

  /** The value of an expression: text, number, boolean, list or map. */
  Object ask(String expression) {
    Map<?, ?> answer =
        call(
            "Runtime.evaluate",
            Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
    if (answer.get("exceptionDetails") != null) {
      throw new AssertionError(expression + ": " + answer.get("exceptionDetails"));
    }
    return ((Map<?, ?>) answer.get("result")).get("value");
  }

  String text(String expression) {
    return String.valueOf(ask(expression));
  }

  long number(String expression) {
    return ((Number) ask(expression)).longValue();
  }

  /** Waits, frame by frame, until an expression holds. */
  BrowserTab until(String expression) {
    ask(
        """
        new Promise((done) => {
          const look = () => (%s) ? done(true) : requestAnimationFrame(look);
          look();
        })\
        """
            .formatted(expression));
    return this;
  }

  /** The names in Windows of the keys that a browser itself handles. */
  private static final Map<String, Integer> CODES =
      Map.of("Tab", 9, "Enter", 13, "Escape", 27, " ", 32, "PageDown", 34, "End", 35, "Home", 36);

  private static final int SHIFT = 8;

  /** Presses a key, or Shift-Enter. A key of one character types it, Enter types a line end. */
  BrowserTab key(String pressed) {
    String key = pressed.replaceFirst("^Shift-", "");
    int modifiers = key.equals(pressed) ? 0 : SHIFT;
    String typed = key.length() == 1 ? key : key.equals("Enter") ? "\r" : "";
    int code = CODES.getOrDefault(key, 0);
    String down = typed.isEmpty() ? "rawKeyDown" : "keyDown";
    call(
        "Input.dispatchKeyEvent",
        Map.of(
            "type",
            down,
            "key",
            key,
            "text",
            typed,
            "windowsVirtualKeyCode",
            code,
            "modifiers",
            modifiers));
    call(
        "Input.dispatchKeyEvent",
        Map.of("type", "keyUp", "key", key, "windowsVirtualKeyCode", code, "modifiers", modifiers));
    return this;
  }

  /** The roles of elements that can have the focus and have no name for a screen reader. */
  List<String> unnamed() {
    List<?> nodes = (List<?>) call("Accessibility.getFullAXTree", Map.of()).get("nodes");
    return nodes.stream()
        .map(node -> (Map<?, ?>) node)
        .filter(node -> node.get("properties") instanceof List<?>)
        .filter(
            node -> isFocusable((List<?>) node.get("properties")) && said(node, "name").isBlank())
        .map(node -> said(node, "role"))
        .toList();
  }

  private static boolean isFocusable(List<?> properties) {
    return properties.stream()
        .map(property -> (Map<?, ?>) property)
        .anyMatch(p -> p.get("name").equals("focusable") && said(p, "value").equals("true"));
  }

  private static String said(Map<?, ?> node, String what) {
    return node.get(what) instanceof Map<?, ?> value ? String.valueOf(value.get("value")) : "";
  }

  /** Types into the focused element. */
  BrowserTab type(String text) {
    call("Input.insertText", Map.of("text", text));
    return this;
  }

  /**
   * Clicks in the middle of the first element that matches a selector, once it has stayed in one
   * place for ten frames: a page that was just loaded is laid out more than once.
   */
  BrowserTab click(String selector) {
    List<?> place =
        (List<?>)
            ask(
                """
                new Promise((done) => {
                  let before = "";
                  let still = 0;
                  const look = () => {
                    const b = document.querySelector('%s')?.getBoundingClientRect();
                    const now = b ? [b.x + b.width / 2, b.y + b.height / 2] : [];
                    still = b && String(now) === before ? still + 1 : 0;
                    before = String(now);
                    still === 10 ? done(now) : requestAnimationFrame(look);
                  };
                  look();
                })\
                """
                    .formatted(selector));
    for (String type : List.of("mousePressed", "mouseReleased")) {
      call(
          "Input.dispatchMouseEvent",
          Map.of(
              "type",
              type,
              "x",
              place.get(0),
              "y",
              place.get(1),
              "button",
              "left",
              "clickCount",
              1));
    }
    return this;
  }

  /** Saves a picture of the visible part. */
  BrowserTab picture(Path file) throws IOException {
    String png = (String) call("Page.captureScreenshot", Map.of("format", "png")).get("data");
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, Base64.getDecoder().decode(png));
    return this;
  }

  /** The printed page as PDF. */
  byte[] print() {
    return print(false);
  }

  /** The printed page as PDF. */
  byte[] print(boolean landscape) {
    return Base64.getDecoder()
        .decode((String) call("Page.printToPDF", Map.of("landscape", landscape)).get("data"));
  }

  /** Errors, warnings and exceptions so far. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Forgets the problems so far. */
  BrowserTab forget() {
    problems.clear();
    return this;
  }

  private Map<?, ?> call(String method, Map<String, ?> parameters) {
    int id = calls.incrementAndGet();
    CompletableFuture<Map<?, ?>> answer = new CompletableFuture<>();
    answers.put(id, answer);
    socket
        .sendText(Json.text(Map.of("id", id, "method", method, "params", parameters)), true)
        .join();
    Map<?, ?> got = await(answer, method);
    if (got.get("error") != null) {
      throw new AssertionError(method + ": " + got.get("error"));
    }
    return (Map<?, ?>) got.get("result");
  }

  private static <T> T await(CompletableFuture<T> future, String what) {
    try {
      return future.get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(what, e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("no answer: " + what, e);
    }
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
    message.append(part);
    if (last) {
      Map<?, ?> whole = (Map<?, ?>) Json.read(message.toString());
      message.setLength(0);
      took(whole);
    }
    from.request(1);
    return null;
  }

  private void took(Map<?, ?> whole) {
    if (whole.get("id") instanceof Integer id) {
      answers.remove(id).complete(whole);
      return;
    }
    Map<?, ?> event = (Map<?, ?>) whole.get("params");
    switch ((String) whole.get("method")) {
      case "Page.loadEventFired" -> loaded.complete(null);
      case "Runtime.exceptionThrown" -> problems.add(event.get("exceptionDetails").toString());
      case "Log.entryAdded" -> {
        Map<?, ?> entry = (Map<?, ?>) event.get("entry");
        if (!"verbose".equals(entry.get("level")) && !"info".equals(entry.get("level"))) {
          problems.add(entry.get("text").toString());
        }
      }
      case "Runtime.consoleAPICalled" -> {
        if (List.of("error", "warning", "assert").contains(event.get("type"))) {
          problems.add(event.get("args").toString());
        }
      }
      default -> {}
    }
  }

  /** Closes the tab, because the page of an open tab goes on drawing. */
  @Override
  public void close() {
    call("Page.close", Map.of());
    socket.abort();
  }
}
