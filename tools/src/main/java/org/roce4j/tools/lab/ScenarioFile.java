package org.roce4j.tools.lab;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.fabric.LinkModel;
import org.roce4j.lab.Action;
import org.roce4j.lab.ActionText;
import org.roce4j.lab.LabSession;
import org.roce4j.lab.Scenario;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.view.View;

/**
 * A scenario as a YAML file, as docs/lab.md describes it.
 *
 * @param expect texts that must occur in the events, in this order
 */
public record ScenarioFile(Scenario scenario, List<String> expect) {
  private static final String KEYS = "title, seed, link, devices, actions, expect";

  /** Copies what is expected. */
  public ScenarioFile {
    expect = List.copyOf(expect);
  }

  /** Whether a file's name is that of a scenario. */
  public static boolean isNamed(Path file) {
    return file.getFileName().toString().matches(".*\\.ya?ml");
  }

  /** Its packets, when all of it has been played. */
  public View view() {
    try (LabSession lab = session()) {
      return lab.view();
    }
  }

  /** A session in which all of it has been played; a name that is not there is said. */
  LabSession session() {
    try {
      return LabSession.of(scenario);
    } catch (IllegalArgumentException e) {
      throw ToolFailure.usage(scenario.title() + ": " + e.getMessage());
    }
  }

  /** Reads a file, or says which line of it is not understood. */
  public static ScenarioFile read(Path file) {
    try {
      return parse(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw ToolFailure.usage("cannot read the scenario " + e.getMessage());
    }
  }

  /**
   * Reads a text.
   *
   * @param name of the file, for messages about mistakes
   */
  static ScenarioFile parse(String name, String text) {
    try (YAMLParser parser = new YAMLFactory().createParser(text)) {
      return new Reader(name, parser).file();
    } catch (JsonProcessingException e) {
      throw refuse(name, e.getLocation(), e.getOriginalMessage().lines().findFirst().orElse(""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ToolFailure refuse(String name, JsonLocation at, String why) {
    int line = at == null ? 1 : at.getLineNr();
    return ToolFailure.usage("%s:%d: %s".formatted(name, line, why));
  }

  /** A file that is being read. */
  private record Reader(String name, YAMLParser parser) {
    ScenarioFile file() throws IOException {
      Scenario scenario = Scenario.of("");
      List<String> expect = List.of();
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw wrong("a scenario has keys: " + KEYS);
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String key = parser.currentName();
        parser.nextToken();
        if (key.equals("expect")) {
          expect = texts();
        } else {
          scenario = with(scenario, key);
        }
      }
      return new ScenarioFile(scenario, expect);
    }

    private Scenario with(Scenario s, String key) throws IOException {
      JsonLocation at = parser.currentTokenLocation();
      try {
        return switch (key) {
          case "title" -> new Scenario(text(), s.seed(), s.link(), s.devices(), s.actions());
          case "seed" -> s.withSeed(Long.parseLong(text()));
          case "link" ->
              new Scenario(s.title(), s.seed(), LinkModel.parse(text()), s.devices(), s.actions());
          case "devices" -> s.withDevices(texts().toArray(String[]::new));
          case "actions" -> s.withActions(actions());
          default -> throw wrong("'%s' is no key; there are: %s".formatted(key, KEYS));
        };
      } catch (VerbsException e) {
        throw refuse(name, at, e.remedy());
      } catch (NumberFormatException e) {
        throw refuse(name, at, key + " is a number");
      }
    }

    private List<Action> actions() throws IOException {
      List<Action> actions = new ArrayList<>();
      begin();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        String line = text();
        try {
          actions.add(ActionText.read(line));
        } catch (VerbsException e) {
          throw wrong(e.remedy());
        }
      }
      return actions;
    }

    private List<String> texts() throws IOException {
      List<String> texts = new ArrayList<>();
      begin();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        texts.add(text());
      }
      return texts;
    }

    private void begin() throws IOException {
      if (parser.currentToken() != JsonToken.START_ARRAY) {
        throw wrong("give a list");
      }
    }

    private String text() throws IOException {
      if (!parser.currentToken().isScalarValue()) {
        throw wrong("give a line of text; one with ': ' in it needs quotes");
      }
      return parser.getText();
    }

    private ToolFailure wrong(String why) {
      return refuse(name, parser.currentTokenLocation(), why);
    }
  }

  /** The text of a file that {@link #parse} reads as this. */
  String text() {
    StringWriter text = new StringWriter();
    YAMLFactory factory =
        YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .build();
    try (YAMLGenerator out = factory.createGenerator(text)) {
      out.writeStartObject();
      out.writeStringField("title", scenario.title());
      out.writeNumberField("seed", scenario.seed());
      if (!scenario.link().equals(Scenario.USUAL_LINK)) {
        out.writeStringField("link", scenario.link().toString());
      }
      write(out, "devices", scenario.devices());
      write(out, "actions", scenario.actions().stream().map(Action::text).toList());
      if (!expect.isEmpty()) {
        write(out, "expect", expect);
      }
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void write(YAMLGenerator out, String key, List<String> lines) throws IOException {
    out.writeArrayFieldStart(key);
    for (String line : lines) {
      out.writeString(line);
    }
    out.writeEndArray();
  }

  /** The first expected text that is missing from the events; null if none is. */
  String missing(List<String> lines) {
    int at = 0;
    for (String text : expect) {
      while (at < lines.size() && !lines.get(at).contains(text)) {
        at++;
      }
      if (at++ >= lines.size()) {
        return text;
      }
    }
    return null;
  }
}
