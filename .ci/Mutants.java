import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Judges reports of mutation testing: at least 80 of 100 mutants of each package are killed, and
 * the document names every survivor's method with the reason.
 *
 * <p>Usage: {@code Mutants.java DOCUMENT mutations.xml...}. A row of the document's table names
 * what survives in its first cell, as {@code `Class.method`}; a star stands for any letters. What a
 * row names of the changed classes and nothing survives in is told. Exit status 1: a package is
 * below, or a survivor is not named.
 */
final class Mutants {
  private static final int LEAST_PERCENT = 80;
  private static final Pattern NAME = Pattern.compile("`([A-Z*][\\w*]*)\\.([\\w<>*]+)`");

  private Mutants() {}

  /** One changed program. {@code place} is {@code Class.method}, of the outermost class. */
  private record Mutant(
      String pkg, String place, int line, String change, boolean killed, boolean timedOut) {
    String type() {
      return place.substring(0, place.indexOf('.'));
    }
  }

  public static void main(String[] args) throws IOException, XMLStreamException {
    List<Mutant> mutants = new ArrayList<>();
    for (int i = 1; i < args.length; i++) {
      mutants.addAll(read(Path.of(args[i])));
    }
    boolean enough = table(mutants);
    Map<Pattern, Boolean> named = named(Path.of(args[0]), mutants);
    List<String> unnamed = new ArrayList<>();
    for (Mutant mutant : mutants) {
      if (!mutant.killed()) {
        String text = "%s:%d %s".formatted(mutant.place(), mutant.line(), mutant.change());
        if (use(named, mutant.place())) {
          System.out.println("survives  " + text);
        } else {
          unnamed.add(text);
        }
      }
    }
    named.forEach(
        (name, used) -> {
          if (!used) {
            System.out.println("no longer " + name);
          }
        });
    unnamed.forEach(text -> System.out.println("NO REASON " + text));
    System.out.printf(
        "%d mutants, %d survivors without a reason in %s%n",
        mutants.size(), unnamed.size(), args[0]);
    System.exit(enough && unnamed.isEmpty() && !mutants.isEmpty() ? 0 : 1);
  }

  /** Prints the table of packages; false: one is below. */
  private static boolean table(List<Mutant> mutants) {
    Map<String, int[]> counts = new TreeMap<>();
    for (Mutant mutant : mutants) {
      int[] count = counts.computeIfAbsent(mutant.pkg(), name -> new int[3]);
      count[0]++;
      count[1] += mutant.killed() ? 1 : 0;
      count[2] += mutant.timedOut() ? 1 : 0;
    }
    boolean enough = true;
    System.out.println(
        "| package | mutants | killed | by timeout | share |\n|---|---|---|---|---|");
    for (Map.Entry<String, int[]> entry : counts.entrySet()) {
      int all = entry.getValue()[0];
      int killed = entry.getValue()[1];
      System.out.printf(
          Locale.ROOT,
          "| `%s` | %d | %d | %d | %.1f %% |%n",
          entry.getKey(),
          all,
          killed,
          entry.getValue()[2],
          100.0 * killed / all);
      if (killed * 100 < all * LEAST_PERCENT) {
        System.out.println(entry.getKey() + " IS BELOW " + LEAST_PERCENT + " %");
        enough = false;
      }
    }
    return enough;
  }

  private static List<Mutant> read(Path report) throws IOException, XMLStreamException {
    List<Mutant> mutants = new ArrayList<>();
    try (InputStream in = Files.newInputStream(report)) {
      XMLStreamReader xml = XMLInputFactory.newDefaultFactory().createXMLStreamReader(in);
      boolean killed = false;
      boolean timedOut = false;
      Map<String, String> fields = new TreeMap<>();
      while (xml.hasNext()) {
        int event = xml.next();
        if (event == XMLStreamReader.START_ELEMENT) {
          switch (xml.getLocalName()) {
            case "mutation" -> {
              killed =
                  Boolean.parseBoolean(xml.getAttributeValue(null, "detected"))
                      && !"RUN_ERROR".equals(xml.getAttributeValue(null, "status"));
              timedOut = "TIMED_OUT".equals(xml.getAttributeValue(null, "status"));
            }
            case "mutatedClass", "mutatedMethod", "lineNumber", "description" ->
                fields.put(xml.getLocalName(), xml.getElementText());
            default -> {}
          }
        } else if (event == XMLStreamReader.END_ELEMENT && xml.getLocalName().equals("mutation")) {
          mutants.add(mutant(fields, killed, timedOut));
        }
      }
      xml.close();
    }
    return mutants;
  }

  private static Mutant mutant(Map<String, String> fields, boolean killed, boolean timedOut) {
    String name = fields.get("mutatedClass");
    int dot = name.lastIndexOf('.');
    String outermost = name.substring(dot + 1).replaceFirst("\\$.*", "");
    String method = fields.get("mutatedMethod").replaceFirst("^lambda\\$(\\w+)\\$\\d+$", "$1");
    return new Mutant(
        name.substring(0, dot).replace("org.roce4j.", ""),
        outermost + "." + method,
        Integer.parseInt(fields.get("lineNumber")),
        fields.get("description"),
        killed,
        timedOut);
  }

  /** Whether a row names this place; those that do are marked as used. */
  private static boolean use(Map<Pattern, Boolean> named, String place) {
    boolean found = false;
    for (Map.Entry<Pattern, Boolean> name : named.entrySet()) {
      if (name.getKey().matcher(place).matches()) {
        name.setValue(true);
        found = true;
      }
    }
    return found;
  }

  /** What the document names of the classes that were changed: of others nothing can be said. */
  private static Map<Pattern, Boolean> named(Path document, List<Mutant> mutants)
      throws IOException {
    Map<Pattern, Boolean> names = new LinkedHashMap<>();
    for (String line : Files.readAllLines(document)) {
      if (line.startsWith("|")) {
        Matcher name = NAME.matcher(line.split("\\|")[1]);
        while (name.find()) {
          String type = wildcard(name.group(1));
          if (mutants.stream().anyMatch(mutant -> mutant.type().matches(type))) {
            names.put(Pattern.compile(type + "\\." + wildcard(name.group(2))), false);
          }
        }
      }
    }
    return names;
  }

  private static String wildcard(String name) {
    return name.replace("*", "\\w*");
  }
}
