package org.roce4j.emulator;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.roce4j.options.Quantity;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.NearestName;

/**
 * The settings of devices from four sources: file, environment, system properties and command line.
 * A later source overrides an earlier one, key by key; a setting for one device overrides the
 * setting for all devices. Immutable.
 *
 * <p>The file is {@code roce4j.properties} in the working directory, or the file named by {@code
 * roce4j.config} or {@code ROCE4J_CONFIG}. A key is that of a {@link Setting}, for one device with
 * {@code device.NAME.} before it. The names of system properties begin with {@code roce4j.}; the
 * names of environment variables begin with {@code ROCE4J_} and have capitals and underscores.
 */
public final class Configuration {
  /** No settings. */
  public static final Configuration EMPTY = new Configuration(null, Map.of());

  /** The key of the file's name. */
  public static final String FILE_KEY = "config";

  static final String FILE_NAME = "roce4j.properties";
  static final String PROPERTY_PREFIX = "roce4j.";
  static final String ENVIRONMENT_PREFIX = "ROCE4J_";

  private static final String DEVICE_PREFIX = "device.";
  private static final String DEVICE_NAME = "[A-Za-z0-9][A-Za-z0-9_-]*";

  /** Names that look like settings but are not: the number of seeds of the simulation. */
  private static final Set<String> OTHERS = Set.of("ROCE4J_SEEDS", "roce4j.seeds");

  /** A value and its source. */
  private record SetValue(String text, String origin) {}

  private final Path file;
  private final Map<String, SetValue> said;
  private final List<DeviceOptions> devices;

  private Configuration(Path file, Map<String, SetValue> said) {
    this.file = file;
    this.said = said;
    devices = List.copyOf(configuredDevices());
  }

  /** The configuration of this process. */
  public static Configuration load() {
    return load(Map.of());
  }

  /**
   * The configuration of this process.
   *
   * @param flags the settings of the command line, by key
   * @throws VerbsException EINVAL for an unknown key or a bad value, EIO if the file cannot be
   *     read; the remedy names the source and the allowed values
   */
  public static Configuration load(Map<String, String> flags) {
    Map<String, String> properties = new TreeMap<>();
    Properties system = System.getProperties();
    for (String name : system.stringPropertyNames()) {
      properties.put(name, system.getProperty(name));
    }
    return load(flags, properties, System.getenv(), Path.of(""));
  }

  static Configuration load(
      Map<String, String> flags,
      Map<String, String> properties,
      Map<String, String> environment,
      Path workingDirectory) {
    Map<String, SetValue> said = new LinkedHashMap<>();
    Path file = chosenFile(flags, properties, environment, workingDirectory);
    if (file != null) {
      addFile(said, file);
    }
    addEnvironment(said, environment);
    addProperties(said, properties);
    flags.forEach(
        (key, text) -> {
          if (!key.equals(FILE_KEY)) {
            String origin = "--set " + key;
            checkKey(origin, key);
            said.put(key, new SetValue(text, origin));
          }
        });
    return new Configuration(file, said);
  }

  /** The file that was read, if any. */
  public Optional<Path> file() {
    return Optional.ofNullable(file);
  }

  /**
   * The devices that have settings, in the order of their first mention; empty if there are none.
   */
  public List<DeviceOptions> devices() {
    return devices;
  }

  /**
   * A device's options, changed by the settings of that device and of all devices.
   *
   * @throws VerbsException EINVAL for a bad value
   */
  public DeviceOptions applyTo(DeviceOptions options) {
    DeviceOptions changed = options;
    for (Setting setting : Setting.ALL) {
      SetValue value = said.get(DEVICE_PREFIX + options.name() + "." + setting.key());
      if (value == null) {
        value = said.get(setting.key());
      }
      if (value != null) {
        changed = changed(setting, changed, value);
      }
    }
    return changed;
  }

  private static DeviceOptions changed(Setting setting, DeviceOptions options, SetValue value) {
    try {
      return setting.change().apply(options, value.text());
    } catch (VerbsException e) {
      throw Quantity.refuse("%s=%s: %s", value.origin(), value.text(), e.remedy());
    }
  }

  // ---- devices

  private List<DeviceOptions> configuredDevices() {
    // Settings of devices that are never opened are checked, too, so that a mistake shows early.
    applyTo(DeviceOptions.of("any"));
    Map<String, String> firstKeys = new LinkedHashMap<>();
    for (String key : said.keySet()) {
      if (key.startsWith(DEVICE_PREFIX)) {
        firstKeys.putIfAbsent(deviceOf(key), said.get(key).origin());
      }
    }
    List<DeviceOptions> made = new ArrayList<>();
    firstKeys.forEach(
        (name, origin) -> {
          DeviceOptions options = applyTo(DeviceOptions.of(name));
          if (options.addresses().isEmpty()) {
            throw Quantity.refuse(
                "%s: the device has no address; add %s%s.addresses, such as 127.0.0.1",
                origin, DEVICE_PREFIX, name);
          }
          made.add(options);
        });
    SetValue capture = said.get("capture");
    if (capture != null && !capture.text().contains(Setting.DEVICE_PLACEHOLDER)) {
      throw Quantity.refuse(
          "%s=%s: devices cannot share a file; put %s into its name",
          capture.origin(), capture.text(), Setting.DEVICE_PLACEHOLDER);
    }
    return made;
  }

  private static String deviceOf(String key) {
    String rest = key.substring(DEVICE_PREFIX.length());
    return rest.substring(0, rest.indexOf('.'));
  }

  // ---- sources

  private static Path chosenFile(
      Map<String, String> flags,
      Map<String, String> properties,
      Map<String, String> environment,
      Path workingDirectory) {
    String chosen =
        flags.getOrDefault(
            FILE_KEY,
            properties.getOrDefault(
                PROPERTY_PREFIX + FILE_KEY, environment.get(ENVIRONMENT_PREFIX + "CONFIG")));
    if (chosen != null && !chosen.isEmpty()) {
      return workingDirectory.resolve(chosen);
    }
    Path usual = workingDirectory.resolve(FILE_NAME);
    return Files.isRegularFile(usual) ? usual : null;
  }

  private static void addFile(Map<String, SetValue> said, Path file) {
    Properties ordered =
        new Properties() {
          private static final long serialVersionUID = 1L;

          @Override
          public synchronized Object put(Object name, Object text) {
            String key = name.toString();
            String origin = file + ": " + key;
            checkKey(origin, key);
            if (said.put(key, new SetValue(text.toString().strip(), origin)) != null) {
              throw Quantity.refuse("%s is said twice", origin);
            }
            return null;
          }
        };
    try {
      ordered.load(new StringReader(Files.readString(file)));
    } catch (CharacterCodingException e) {
      throw Quantity.refuse("%s is not UTF-8 text", file);
    } catch (IOException e) {
      throw new VerbsException(
          Errno.EIO, "the configuration " + file + " cannot be read (" + e + ")", e);
    } catch (IllegalArgumentException e) {
      throw Quantity.refuse("%s: %s", file, e.getMessage());
    }
  }

  private static void addEnvironment(Map<String, SetValue> said, Map<String, String> environment) {
    new TreeMap<>(environment)
        .forEach(
            (name, text) -> {
              if (name.startsWith(ENVIRONMENT_PREFIX)) {
                String key = keyOf(name.substring(ENVIRONMENT_PREFIX.length()), said.keySet());
                if (key != null) {
                  checkKey(name, key);
                  said.put(key, new SetValue(text, name));
                } else {
                  checkForeign(name, environmentNames());
                }
              }
            });
  }

  /** The key of an environment variable, without prefix; null if the variable is not a setting. */
  private static String keyOf(String name, Set<String> known) {
    for (Setting setting : Setting.ALL) {
      if (name.equals(setting.environmentName())) {
        return setting.key();
      }
    }
    if (!name.startsWith("DEVICE_")) {
      return null;
    }
    String rest = name.substring("DEVICE_".length());
    for (Setting setting : Setting.ALL) {
      String end = "_" + setting.environmentName();
      if (rest.endsWith(end)) {
        String device = rest.substring(0, rest.length() - end.length());
        return DEVICE_PREFIX + deviceCalled(device, known) + "." + setting.key();
      }
    }
    return null;
  }

  /**
   * The configured device that an environment variable names; otherwise a new one, named in lower
   * case.
   */
  private static String deviceCalled(String capitals, Set<String> known) {
    for (String key : known) {
      if (key.startsWith(DEVICE_PREFIX)
          && deviceOf(key).replace('-', '_').equalsIgnoreCase(capitals)) {
        return deviceOf(key);
      }
    }
    return capitals.toLowerCase(Locale.ROOT);
  }

  private static Set<String> environmentNames() {
    Set<String> names = new LinkedHashSet<>();
    Setting.ALL.forEach(setting -> names.add(ENVIRONMENT_PREFIX + setting.environmentName()));
    return names;
  }

  private static void addProperties(Map<String, SetValue> said, Map<String, String> properties) {
    Set<String> names = new LinkedHashSet<>();
    keys().forEach(key -> names.add(PROPERTY_PREFIX + key));
    new TreeMap<>(properties)
        .forEach(
            (name, text) -> {
              if (!name.startsWith(PROPERTY_PREFIX)) {
                return;
              }
              String key = name.substring(PROPERTY_PREFIX.length());
              if (key.startsWith(DEVICE_PREFIX) || names.contains(name)) {
                checkKey("-D" + name, key);
                said.put(key, new SetValue(text, "-D" + name));
              } else {
                checkForeign(name, names);
              }
            });
  }

  // ---- keys

  private static Set<String> keys() {
    Set<String> keys = new LinkedHashSet<>();
    Setting.ALL.forEach(setting -> keys.add(setting.key()));
    return keys;
  }

  private static void checkKey(String origin, String key) {
    if (!key.startsWith(DEVICE_PREFIX)) {
      if (Setting.of(key).isEmpty()) {
        throw unknown(origin, key, keys());
      }
      if (Setting.of(key).get().ownOnly()) {
        throw Quantity.refuse("%s: say of which device: %sNAME.%s", origin, DEVICE_PREFIX, key);
      }
      return;
    }
    String rest = key.substring(DEVICE_PREFIX.length());
    int dot = rest.indexOf('.');
    if (dot < 0 || !rest.substring(0, dot).matches(DEVICE_NAME)) {
      throw Quantity.refuse(
          "%s: a device's key is %sNAME.SETTING, its name made of letters, digits, - and _",
          origin, DEVICE_PREFIX);
    }
    String setting = rest.substring(dot + 1);
    if (Setting.of(setting).isEmpty()) {
      throw unknown(origin, setting, keys());
    }
  }

  private static VerbsException unknown(String origin, String key, Set<String> known) {
    return Quantity.refuse(
        "%s: there is no setting '%s'%s",
        origin,
        key,
        NearestName.of(key, known)
            .map(near -> "; did you mean '" + near + "'?")
            .orElse("; there are: " + String.join(", ", known)));
  }

  /**
   * Launcher, build and tests have variables with this prefix, too. A name is refused only if it
   * looks like a mistyped setting or begins with a device.
   */
  private static void checkForeign(String name, Set<String> known) {
    if (OTHERS.contains(name)) {
      return;
    }
    if (name.startsWith(ENVIRONMENT_PREFIX + "DEVICE_")) {
      throw Quantity.refuse("%s: no setting ends so; docs/configuration.md lists them", name);
    }
    for (String candidate : known) {
      if (NearestName.distance(name, candidate) == 1) {
        throw Quantity.refuse("%s: there is no such setting; did you mean '%s'?", name, candidate);
      }
    }
  }
}
