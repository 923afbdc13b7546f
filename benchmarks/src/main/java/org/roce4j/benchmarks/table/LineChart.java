package org.roce4j.benchmarks.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.tools.console.Markup;

/** A plot of lines as SVG: x on a logarithmic scale, y from zero. */
final class LineChart {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 320;
  private static final int LEFT = 64;
  private static final int BOTTOM = 44;
  private static final int TOP = 34;
  private static final int RIGHT = 130;
  private static final String[] COLOURS = {"#0b6e99", "#d9480f", "#2b8a3e", "#7048e8"};

  private final String title;
  private final String xName;
  private final String yName;
  private final Map<String, List<double[]>> lines = new LinkedHashMap<>();

  LineChart(String title, String xName, String yName) {
    this.title = title;
    this.xName = xName;
    this.yName = yName;
  }

  void add(String line, double x, double y) {
    if (Double.isFinite(y)) {
      lines.computeIfAbsent(line, name -> new ArrayList<>()).add(new double[] {x, y});
    }
  }

  String svg() {
    double left = extreme(0, true);
    double right = Math.max(left * 2, extreme(0, false));
    double top = Math.max(1e-9, extreme(1, false)) * 1.05;
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n",
            WIDTH, HEIGHT, WIDTH, HEIGHT));
    text(svg, LEFT, 18, "start", title);
    for (int i = 0; i <= 4; i++) {
      double y = y(top * i / 4, top);
      line(svg, LEFT, y, WIDTH - RIGHT, y, "#ddd");
      text(svg, LEFT - 6, y + 4, "end", number(top * i / 4));
    }
    for (double x = left; x <= right * 1.001; x *= step(left, right)) {
      text(svg, x(x, left, right), HEIGHT - BOTTOM + 16, "middle", bytes(x));
    }
    text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8, "middle", xName);
    text(svg, WIDTH - RIGHT + 10, TOP - 6, "start", yName);
    int index = 0;
    for (Map.Entry<String, List<double[]>> entry : lines.entrySet()) {
      draw(svg, entry.getKey(), entry.getValue(), index++, left, right, top);
    }
    return svg.append("</svg>\n").toString();
  }

  private void draw(
      StringBuilder svg,
      String name,
      List<double[]> points,
      int index,
      double left,
      double right,
      double top) {
    String colour = COLOURS[index % COLOURS.length];
    svg.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"").append(colour);
    svg.append("\" points=\"");
    for (double[] point : points) {
      svg.append(
          String.format(Locale.ROOT, "%.1f,%.1f ", x(point[0], left, right), y(point[1], top)));
    }
    svg.append("\"/>\n");
    double legend = TOP + 14 + 18.0 * index;
    line(svg, WIDTH - RIGHT + 10, legend - 4, WIDTH - RIGHT + 28, legend - 4, colour);
    text(svg, WIDTH - RIGHT + 34, legend, "start", name);
  }

  private double extreme(int dimension, boolean least) {
    var values = lines.values().stream().flatMap(List::stream).mapToDouble(p -> p[dimension]);
    return least ? values.min().orElse(1) : values.max().orElse(1);
  }

  private static double step(double left, double right) {
    return right / left > 1000 ? 8 : 4;
  }

  private static double x(double value, double left, double right) {
    return LEFT + Math.log(value / left) / Math.log(right / left) * (WIDTH - LEFT - RIGHT);
  }

  private static double y(double value, double top) {
    return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
  }

  private static void line(
      StringBuilder svg, double x1, double y1, double x2, double y2, String colour) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>%n",
            x1,
            y1,
            x2,
            y2,
            colour));
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            x,
            y,
            anchor,
            Markup.text(text)));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value >= 10 ? "%.0f" : "%.2f", value);
  }

  /** A number of bytes, or of anything else, in few letters. */
  static String bytes(double value) {
    if (value >= 1 << 20) {
      return Math.round(value / (1 << 20)) + " Mi";
    }
    return value >= 1024 ? Math.round(value / 1024) + " Ki" : Long.toString(Math.round(value));
  }
}
