package org.roce4j.browser;

import static java.util.stream.Collectors.toMap;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The colours of the pages, light and dark, by the figures of WCAG 2.2, level AA. */
class PaletteTest {
  private static final double TEXT = 4.5;
  private static final double GRAPHICS = 3;

  /** CIE76 distance of two kinds of packets; their dashes and heads differ besides. */
  private static final double TOLD_APART = 7;

  private static final List<String> GROUNDS = List.of("bg", "panel", "hover", "chosen", "changed");
  private static final List<String> KINDS =
      List.of(
          "request response retransmission gap late duplicate nak rnr cnp damaged lost cut"
              .split(" "));
  private static final List<String> WORDS =
      Stream.concat(Stream.of("ink", "muted", "bad", "good"), KINDS.stream()).toList();

  /**
   * The colours as people without one kind of cone see them, in linear light (Machado, Oliveira,
   * Fernandes 2009).
   */
  private static final Map<String, double[][]> EYES =
      Map.of(
          "deuteranopia",
          new double[][] {
            {.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}
          },
          "protanopia",
          new double[][] {
            {.152286, 1.052583, -.204868},
            {.114503, .786281, .099216},
            {-.003882, -.048116, 1.051998}
          });

  /** The colours of a page in a theme, by name, in linear light. */
  record Palette(String name, Map<String, double[]> colours) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Palette> palettes() throws IOException {
    List<Palette> all = new ArrayList<>();
    for (String page :
        List.of(
            "wire-rocev2/src/main/resources/org/roce4j/wire/view/view.css",
            "tools/src/main/resources/org/roce4j/tools/lab/lab.css")) {
      String css = Files.readString(Path.of("../..").resolve(page));
      List<String> themes =
          Pattern.compile(":root \\{(.*?)\\}", Pattern.DOTALL)
              .matcher(css)
              .results()
              .map(MatchResult::group)
              .toList();
      assertEquals(2, themes.size(), "light and dark");
      for (int i = 0; i < 2; i++) {
        Map<String, double[]> colours =
            Pattern.compile("--(\\w+): #(\\p{XDigit}{6});")
                .matcher(themes.get(i))
                .results()
                .collect(
                    toMap(
                        it -> it.group(1),
                        it -> linear(Integer.parseInt(it.group(2), 16)),
                        (a, b) -> b,
                        LinkedHashMap::new));
        all.add(
            new Palette(Path.of(page).getFileName() + (i == 0 ? ", light" : ", dark"), colours));
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("palettes")
  void wordsAndControlsStandOutFromEveryGround(Palette palette) {
    List<String> low = new ArrayList<>();
    for (String ground : GROUNDS) {
      WORDS.forEach(word -> compare(palette, word, ground, TEXT, low));
      compare(palette, "focus", ground, GRAPHICS, low);
    }
    compare(palette, "edge", "bg", GRAPHICS, low);
    assertEquals(List.of(), low);
  }

  private static void compare(
      Palette palette, String word, String ground, double least, List<String> low) {
    double[] a = palette.colours.get(word);
    double[] b = palette.colours.get(ground);
    if (a == null || b == null) {
      return;
    }
    double more = Math.max(luminance(a), luminance(b)) + .05;
    double contrast = more / (Math.min(luminance(a), luminance(b)) + .05);
    if (contrast < least) {
      low.add("%s on %s: %.2f".formatted(word, ground, contrast));
    }
  }

  @ParameterizedTest
  @MethodSource("palettes")
  void kindsOfPacketsDifferForThoseWhoSeeFewerColours(Palette palette) {
    List<double[]> kinds = KINDS.stream().map(palette.colours::get).toList();
    assertTrue(palette.name.startsWith("lab") || !kinds.contains(null), "a colour for each kind");
    EYES.forEach(
        (eye, matrix) -> {
          List<String> close = new ArrayList<>();
          for (int i = 0; i < kinds.size(); i++) {
            for (int j = 0; j < i; j++) {
              double distance = distance(kinds.get(i), kinds.get(j), matrix);
              if (distance > 0 && distance < TOLD_APART) {
                close.add("%s, %s: %.1f".formatted(KINDS.get(j), KINDS.get(i), distance));
              }
            }
          }
          assertEquals(List.of(), close, eye);
        });
  }

  private static double distance(double[] a, double[] b, double[][] eye) {
    if (a == null || b == null) {
      return 0;
    }
    double[] x = lab(seen(a, eye));
    double[] y = lab(seen(b, eye));
    return Math.hypot(Math.hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
  }

  private static double[] seen(double[] colour, double[][] eye) {
    double[] seen = new double[3];
    for (int i = 0; i < 3; i++) {
      double sum = eye[i][0] * colour[0] + eye[i][1] * colour[1] + eye[i][2] * colour[2];
      seen[i] = Math.clamp(sum, 0, 1);
    }
    return seen;
  }

  private static double[] linear(int rgb) {
    return new double[] {linearOf(rgb >> 16), linearOf(rgb >> 8), linearOf(rgb)};
  }

  private static double linearOf(int value) {
    double part = (value & 0xFF) / 255.0;
    return part <= .04045 ? part / 12.92 : Math.pow((part + .055) / 1.055, 2.4);
  }

  private static double luminance(double[] c) {
    return .2126 * c[0] + .7152 * c[1] + .0722 * c[2];
  }

  /** CIE L*a*b* with the white of sRGB. */
  private static double[] lab(double[] c) {
    double x = root((.4124 * c[0] + .3576 * c[1] + .1805 * c[2]) / .95047);
    double y = root(luminance(c));
    double z = root((.0193 * c[0] + .1192 * c[1] + .9505 * c[2]) / 1.08883);
    return new double[] {116 * y - 16, 500 * (x - y), 200 * (y - z)};
  }

  private static double root(double t) {
    return t > .008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116.0;
  }
}
