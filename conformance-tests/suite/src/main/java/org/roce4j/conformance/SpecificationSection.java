package org.roce4j.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.roce4j.verbs.text.Wording;

/**
 * A numbered section of {@code docs/specification}.
 *
 * @param document its name without its ending, such as {@code verbs-tables}
 * @param number such as {@code 1.3}
 * @param heading without the number
 * @param chapter the heading of the section around it; its own where there is none
 * @param text its Markdown, without the heading and without the sections below
 */
public record SpecificationSection(
    String document, String number, String heading, String chapter, String text) {
  private static final Pattern SOURCE = Pattern.compile("([a-z]+-[a-z]+) (.+)");
  private static final Pattern NUMBER = Pattern.compile("(\\d+(?:\\.\\d+)?)(?: .*)?");
  private static final Pattern HEADING =
      Pattern.compile("(?m)^##+ (\\d+(?:\\.\\d+)?)\\.? (.+)$|^##+ .+$");
  private static final Map<String, Map<String, SpecificationSection>> DOCUMENTS =
      new ConcurrentHashMap<>();

  /**
   * The sections that a row's source names, in its order. {@code "rc-transport 6.1, 0 R9"} names
   * two; works are separated by semicolons. A source outside {@code docs/specification} names none.
   *
   * @throws IllegalArgumentException if the document has no section of that number
   */
  public static List<SpecificationSection> cited(String source) {
    List<SpecificationSection> sections = new ArrayList<>();
    for (String work : source.split("; ")) {
      Matcher named = SOURCE.matcher(work);
      if (named.matches() && known(named.group(1))) {
        addCited(named.group(1), named.group(2), sections);
      }
    }
    return sections;
  }

  private static void addCited(String document, String parts, List<SpecificationSection> sections) {
    for (String part : parts.split(", ")) {
      Matcher number = NUMBER.matcher(part);
      if (number.matches()) {
        SpecificationSection section = document(document).get(number.group(1));
        if (section == null) {
          throw new IllegalArgumentException(
              Wording.of("%s has no section %s", document, number.group(1)));
        }
        sections.add(section);
      }
    }
  }

  private static boolean known(String document) {
    return SpecificationSection.class.getResource(resource(document)) != null;
  }

  private static String resource(String document) {
    return "specification/" + document + ".md";
  }

  private static Map<String, SpecificationSection> document(String name) {
    return DOCUMENTS.computeIfAbsent(name, SpecificationSection::read);
  }

  private static Map<String, SpecificationSection> read(String document) {
    try (InputStream in = SpecificationSection.class.getResourceAsStream(resource(document))) {
      return parse(document, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, SpecificationSection> parse(String document, String text) {
    Map<String, SpecificationSection> sections = new LinkedHashMap<>();
    Matcher heading = HEADING.matcher(text);
    String chapter = "";
    boolean more = heading.find();
    while (more) {
      String number = heading.group(1);
      String words = heading.group(2);
      int from = heading.end();
      more = heading.find();
      if (number != null) {
        chapter = number.contains(".") ? chapter : words;
        String body = text.substring(from, more ? heading.start() : text.length()).strip();
        sections.put(number, new SpecificationSection(document, number, words, chapter, body));
      }
    }
    return sections;
  }
}
