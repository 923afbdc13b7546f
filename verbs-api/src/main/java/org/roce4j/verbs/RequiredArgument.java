package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.text.Wording;

/**
 * The checks for arguments that must not be null, must be in a range, or must be of the same
 * context; the same for every device, so that a program meets the same refusal everywhere.
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

  /**
   * Refuses what is below 0.
   *
   * @param name what the argument is called in the verb's documentation
   * @throws VerbsException EINVAL, naming argument and value
   */
  public static void checkNotNegative(long argument, String name) {
    if (argument < 0) {
      throw new VerbsException(Errno.EINVAL, name + " must be 0 or more, not " + argument);
    }
  }

  /**
   * Refuses what is below {@code least} or above {@code most}.
   *
   * @param name what the argument is called in the verb's documentation
   * @throws VerbsException EINVAL, naming argument, range and value
   */
  public static void checkRange(long argument, long least, long most, String name) {
    if (argument < least || argument > most) {
      String range = least == most ? "" + least : Wording.of("%d to %d", least, most);
      throw Errno.EINVAL.refusal("%s must be %s, not %d", name, range, argument);
    }
  }

  /**
   * The refusal of an object that is missing or was made by another context.
   *
   * @param argument the object, or null
   * @param name what the argument is called in the verb's documentation
   * @return EINVAL, naming argument and object
   */
  public static VerbsException foreign(Object argument, String name) {
    return argument == null
        ? missing(name)
        : Errno.EINVAL.refusal(
            "%s is of another context (%s): give one that this context made", name, argument);
  }

  /**
   * Refuses memory that this thread cannot read: it was freed, or belongs to another thread.
   *
   * @param name what the argument is called in the verb's documentation
   * @throws VerbsException EFAULT, naming the argument
   */
  public static void checkReadable(MemorySegment memory, String name) {
    if (!memory.scope().isAlive()) {
      throw new VerbsException(
          Errno.EFAULT, "the memory of " + name + " was freed: its arena must be open");
    }
    if (!memory.isAccessibleBy(Thread.currentThread())) {
      throw new VerbsException(
          Errno.EFAULT, "the memory of " + name + " is another thread's: use Arena.ofShared()");
    }
  }

  private static VerbsException missing(String name) {
    return new VerbsException(Errno.EINVAL, name + " is missing: it must not be null");
  }
}
