package org.roce4j.tools.lab;

import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.roce4j.fabric.LinkModel;
import org.roce4j.lab.Action;
import org.roce4j.lab.ActionText;
import org.roce4j.lab.LabSession;
import org.roce4j.lab.Scenario;
import org.roce4j.plans.YamlReader;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.view.View;

/**
 * A scenario as a YAML file, as docs/lab.md describes it.
 *
 * @param expect texts that must occur in the events, in this order
 * @param places where each action stands in the file; empty for a scenario without file
 */
public record ScenarioFile(Scenario scenario, List<String> expect, List<String> places) {
  private static final String KEYS = "title, seed, link, devices, actions, expect";

  /** Copies what is expected. */
  public ScenarioFile {
    expect = List.copyOf(expect);
    places = List.copyOf(places);
  }

  /** A scenario without file. */
  static ScenarioFile of(Scenario scenario) {
    return new ScenarioFile(scenario, List.of(), List.of());
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
    LabSession lab = LabSession.of(scenario.withActions(List.of()));
    for (int i = 0; i < scenario.actions().size(); i++) {
      try {
        lab.act(scenario.actions().get(i));
      } catch (IllegalArgumentException e) {
        lab.close();
        throw ToolFailure.usage(places.get(i) + ": " + e.getMessage());
      }
    }
    return lab;
  }

  /** Reads a file, or says which line of it is not understood. */
  public static ScenarioFile read(Path file) {
    try {
      String name = file.getFileName().toString();
      return YamlReader.read(file, yaml -> new Reading(yaml, name).file());
    } catch (VerbsException e) {
      throw ToolFailure.usage(e.remedy());
    }
  }

  /** A file that is being read. */
  private static final class Reading {
    private final YamlReader yaml;
    private Scenario scenario;
    private List<String> expect = List.of();
    private final List<String> places = new ArrayList<>();

    Reading(YamlReader yaml, String title) {
      this.yaml = yaml;
      scenario = Scenario.of(title);
    }

    ScenarioFile file() throws IOException {
      yaml.object("a scenario has keys: " + KEYS, this::entry);
      return new ScenarioFile(scenario, expect, places);
    }

    private void entry(String key, String keyPlace) throws IOException {
      String place = yaml.place();
      Scenario s = scenario;
      switch (key) {
        case "title" ->
            scenario = new Scenario(text(), s.seed(), s.link(), s.devices(), s.actions());
        case "seed" -> scenario = s.withSeed(seed());
        case "link" -> {
          String link = text();
          LinkModel model = placed(place, () -> LinkModel.parse(link));
          scenario = new Scenario(s.title(), s.seed(), model, s.devices(), s.actions());
        }
        case "devices" -> {
          String[] names = texts().toArray(String[]::new);
          scenario = placed(place, () -> s.withDevices(names));
        }
        case "actions" -> scenario = s.withActions(actions());
        case "expect" -> expect = texts();
        default ->
            throw YamlReader.refused(
                keyPlace, Wording.of("'%s' is no key; there are: %s", key, KEYS));
      }
    }

    private long seed() throws IOException {
      try {
        return Long.parseLong(text());
      } catch (NumberFormatException e) {
        throw yaml.refused("seed is a number");
      }
    }

    private static <T> T placed(String place, Supplier<T> value) {
      try {
        return value.get();
      } catch (VerbsException e) {
        throw YamlReader.refused(place, e.remedy());
      }
    }

    private List<Action> actions() throws IOException {
      List<Action> actions = new ArrayList<>();
      yaml.list(
          "give a list",
          () -> {
            String line = text();
            actions.add(placed(yaml.place(), () -> ActionText.read(line)));
            places.add(yaml.place());
          });
      return actions;
    }

    private List<String> texts() throws IOException {
      List<String> texts = new ArrayList<>();
      yaml.list("give a list", () -> texts.add(text()));
      return texts;
    }

    private String text() throws IOException {
      return yaml.scalar("give a line of text; one with ': ' in it needs quotes");
    }
  }

  /** The text of a file that {@link #read} takes as this. */
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
