package org.roce4j.emulator;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.device.Device;
import org.roce4j.engine.Limit;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;
import org.roce4j.port.PortProvider;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.wire.capture.CaptureExtent;

/**
 * A setting of a {@link Configuration}, for one device or for all devices.
 *
 * @param key key in a file, without {@code device.NAME.}
 * @param values allowed values, in words
 * @param fallback default, in words
 * @param meaning meaning, in words
 * @param ownOnly whether it must name a device
 * @param change returns the options with a value, or throws EINVAL with the allowed values
 */
public record Setting(
    String key,
    String values,
    String fallback,
    String meaning,
    boolean ownOnly,
    BiFunction<DeviceOptions, String, DeviceOptions> change) {
  /** The name of the device in a capture's file name. */
  static final String DEVICE_PLACEHOLDER = "{device}";

  private static final int MIN_SNAPLEN = 96;
  private static final int MAX_SNAPLEN = 65535;
  private static final int MAX_PORT = 65535;

  private static final List<Setting> PROPERTIES =
      List.of(
          new Setting(
              "addresses",
              "IP addresses, separated by commas; after a semicolon those of another port",
              "none: a device needs one",
              "The GID table of each port; a socket is bound to each address",
              true,
              (options, text) -> options.withPorts(ports(text))),
          new Setting(
              "transport",
              "`auto`, `linux`, `netty`",
              "`auto`: the best that works",
              "What carries the datagrams",
              false,
              (options, text) -> options.withTransport(transport(text))),
          new Setting(
              "engines",
              "`1`, `2`, `4`, `8`, `16`",
              "`1`",
              "Engines that share the device's queue pairs, so that as many threads can drive them"
                  + " at once; the completion vector of a queue pair's send completion queue names"
                  + " its engine",
              false,
              (options, text) -> options.withEngines(engines(text))),
          new Setting(
              "udp-port",
              "1 to 65535",
              "`4791`",
              "Bound here and addressed at every peer",
              false,
              (options, text) -> options.withUdpPort((int) Quantity.COUNT.read(text, 1, MAX_PORT))),
          new Setting(
              "mtu",
              "`256`, `512`, `1024`, `2048`, `4096`",
              "as the network interface allows",
              "The port's active MTU: payload bytes of a packet",
              false,
              (options, text) -> options.withActiveMtu(mtu(text))),
          new Setting(
              "gid-index",
              "0 to 255",
              "`0`",
              "Index of the first address in the GID table; 1 suits scripts made for Linux rxe",
              false,
              (options, text) ->
                  options.withFirstGidIndex((int) Quantity.COUNT.read(text, 0, 255))),
          new Setting(
              "seed",
              "a whole number; `0`: unpredictable",
              "`0`",
              "Source of queue pair numbers and keys",
              false,
              (options, text) -> options.withSeed(Quantity.COUNT.read(text))),
          new Setting(
              "icrc",
              "`on`, `off`",
              "`on`",
              "Off: neither sealed nor judged, for emulators on both sides of a NAT",
              false,
              (options, text) -> options.withCheckIcrc(Word.isOn(text))),
          new Setting(
              "faults",
              "a fault plan such as `seed=7; drop probability=1%`",
              "none",
              "What the device's datagrams suffer",
              false,
              (options, text) -> options.withFaults(FaultPlan.parse(text))),
          new Setting(
              "capture",
              "a file; `{device}` stands for the device's name",
              "none",
              "Every datagram, as pcapng, or pcap when the name ends so",
              false,
              (options, text) ->
                  options.withCapture(
                      file(text.replace(DEVICE_PLACEHOLDER, options.name())), options.snaplen())),
          new Setting(
              "snaplen",
              "96 to 65535",
              "`65535`: whole packets",
              "Bytes kept of each captured packet",
              false,
              (options, text) ->
                  options.withCapture(
                      options.capture(),
                      (int) Quantity.COUNT.read(text, MIN_SNAPLEN, MAX_SNAPLEN))),
          new Setting(
              "capture-packets",
              "the first, and how many of the last, such as `20000+2000`",
              "all",
              "Which packets the capture keeps; the last ones are in memory until it ends",
              false,
              (options, text) -> options.withCaptureExtent(extent(text))));

  /** All settings, in the order of the documentation. */
  public static final List<Setting> ALL =
      Stream.concat(PROPERTIES.stream(), Stream.of(Limit.values()).map(Setting::limit)).toList();

  private static CaptureExtent extent(String text) {
    String[] parts = text.split("\\+", 2);
    int first = (int) Quantity.COUNT.read(parts[0].strip(), 0, Integer.MAX_VALUE);
    return new CaptureExtent(
        first,
        parts.length == 1
            ? 0
            : (int) Quantity.COUNT.read(parts[1].strip(), 0, CaptureExtent.MOST_LAST));
  }

  /** The setting with a key. */
  static Optional<Setting> of(String key) {
    return ALL.stream().filter(setting -> setting.key.equals(key)).findAny();
  }

  /** Its name as an environment variable, without {@code ROCE4J_}. */
  public String environmentName() {
    return key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  // ---- values

  private static List<List<Gid>> ports(String text) {
    List<List<Gid>> ports = Stream.of(text.split(";", -1)).map(Setting::addresses).toList();
    // All together, because no address is given twice or belongs to two ports.
    DeviceAddresses.check(ports.stream().flatMap(List::stream).toList());
    return ports;
  }

  private static List<Gid> addresses(String text) {
    return Stream.of(text.split(",", -1)).map(String::strip).map(Gid::parse).toList();
  }

  private static String transport(String text) {
    List<String> known = new ArrayList<>();
    known.add(DeviceOptions.AUTO);
    PortSelection.providers().stream().map(PortProvider::name).forEach(known::add);
    if (!known.contains(text)) {
      throw Quantity.refuse("give one of %s", String.join(", ", known));
    }
    return text;
  }

  private static int engines(String text) {
    int engines = (int) Quantity.COUNT.read(text, 1, Device.MAX_ENGINES);
    if (!Device.canHave(engines)) {
      throw Quantity.refuse("give 1, 2, 4, 8 or %d", Device.MAX_ENGINES);
    }
    return engines;
  }

  private static Mtu mtu(String text) {
    for (Mtu mtu : Mtu.values()) {
      if (Integer.toString(mtu.bytes()).equals(text)) {
        return mtu;
      }
    }
    throw Quantity.refuse(
        "give one of %s",
        Arrays.stream(Mtu.values())
            .map(mtu -> Integer.toString(mtu.bytes()))
            .collect(Collectors.joining(", ")));
  }

  private static Path file(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw Quantity.refuse("give the name of a file");
    }
  }

  // ---- limits

  private static Setting limit(Limit limit) {
    return new Setting(
        "limits." + limit.key(),
        limit.least() + " to " + limit.most(),
        "`" + limit.normal() + "`",
        limit.meaning(),
        false,
        (options, text) ->
            options.withLimit(limit, Quantity.COUNT.read(text, limit.least(), limit.most())));
  }
}
