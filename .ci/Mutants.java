import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Judges a report of mutation testing: {@code Mutants.java mutations.xml}. Prints every survivor
 * and a table of packages. Exit status 1: a package is below its least share of killed mutants, has
 * no such share, or the report has no mutant.
 */
final class Mutants {
  /** By the last part of a package's name: the percentage of mutants that must be killed. */
  private static final Map<String, Integer> LEAST_PERCENT =
      Map.of("requester", 94, "responder", 94, "qp", 94, "memory", 95, "wire", 94);

  /** What became of a package's mutants. */
  private static final class Count {
    private int all;
    private int killed;
    private int timedOut;
  }

  private final Map<String, Count> packages = new TreeMap<>();
  private final TreeSet<String> survivors = new TreeSet<>();

  private Mutants() {}

  public static void main(String[] args) throws IOException, XMLStreamException {
    Mutants mutants = new Mutants();
    mutants.read(Path.of(args[0]));
    mutants.survivors.forEach(survivor -> System.out.println("survives  " + survivor));
    System.exit(mutants.enough() && !mutants.packages.isEmpty() ? 0 : 1);
  }

  /** Prints the table of packages; false: one is below. */
  private boolean enough() {
    boolean enough = true;
    System.out.println(
        "| package | mutants | killed | by timeout | share | least |\n|---|---|---|---|---|---|");
    for (Map.Entry<String, Count> entry : packages.entrySet()) {
      Count count = entry.getValue();
      String name = entry.getKey();
      Integer least = LEAST_PERCENT.get(name.substring(name.lastIndexOf('.') + 1));
      boolean below = least == null || count.killed * 100 < count.all * least;
      System.out.printf(
          Locale.ROOT,
          "| `%s` | %d | %d | %d | %.1f %% | %s |%s%n",
          name,
          count.all,
          count.killed,
          count.timedOut,
          100.0 * count.killed / count.all,
          least == null ? "none" : least + " %",
          below ? " BELOW" : "");
      enough &= !below;
    }
    return enough;
  }

  private void read(Path report) throws IOException, XMLStreamException {
    try (InputStream in = Files.newInputStream(report)) {
      XMLStreamReader xml = XMLInputFactory.newDefaultFactory().createXMLStreamReader(in);
      Map<String, String> fields = new TreeMap<>();
      while (xml.hasNext()) {
        int event = xml.next();
        if (event == XMLStreamReader.START_ELEMENT) {
          switch (xml.getLocalName()) {
            case "mutation" -> {
              fields.put("detected", xml.getAttributeValue(null, "detected"));
              fields.put("status", xml.getAttributeValue(null, "status"));
            }
            case "mutatedClass", "mutatedMethod", "lineNumber", "description" ->
                fields.put(xml.getLocalName(), xml.getElementText());
            default -> {}
          }
        } else if (event == XMLStreamReader.END_ELEMENT && xml.getLocalName().equals("mutation")) {
          count(fields);
        }
      }
      xml.close();
    }
  }

  private void count(Map<String, String> mutant) {
    String type = mutant.get("mutatedClass").replace("org.roce4j.", "");
    Count count =
        packages.computeIfAbsent(type.substring(0, type.lastIndexOf('.')), name -> new Count());
    count.all++;
    if (mutant.get("status").equals("TIMED_OUT")) {
      count.timedOut++;
    }
    if (mutant.get("detected").equals("true") && !mutant.get("status").equals("RUN_ERROR")) {
      count.killed++;
    } else {
      survivors.add(
          "%s.%s:%s %s"
              .formatted(
                  type,
                  mutant.get("mutatedMethod"),
                  mutant.get("lineNumber"),
                  mutant.get("description")));
    }
  }
}
