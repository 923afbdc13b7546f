package org.roce4j.verbs;

/**
 * The check for arguments that must not be null; the same for every device, so that a program meets
 * the same refusal everywhere.
 */
public final class RequiredArgument {
  private RequiredArgument() {}

  /**
   * Refuses null. Costs no more than the null check, so it stands in the data path too.
   *
   * @param name what the argument is called in the verb's documentation
   * @return the argument
   * @throws VerbsException EINVAL, naming the argument
   */
  public static <T> T check(T argument, String name) {
    if (argument == null) {
      throw missing(name);
    }
    return argument;
  }

  private static VerbsException missing(String name) {
    return new VerbsException(Errno.EINVAL, name + " is missing: it must not be null");
  }
}
