package org.roce4j.tools.doctor;

/**
 * The result of a check.
 *
 * @param check the check, in one word
 * @param says the result
 * @param remedy remedy; empty if none is needed
 */
public record Finding(Level level, String check, String says, String remedy) {
  /** How bad it is. */
  public enum Level {
    /** As it should be. */
    OK,
    /** It works, but slower or with less than possible. */
    WARN,
    /** Does not work. */
    FAIL
  }

  static Finding ok(String check, String says) {
    return new Finding(Level.OK, check, says, "");
  }

  static Finding warn(String check, String says, String remedy) {
    return new Finding(Level.WARN, check, says, remedy);
  }

  static Finding fail(String check, String says, String remedy) {
    return new Finding(Level.FAIL, check, says, remedy);
  }
}
