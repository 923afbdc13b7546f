package org.roce4j.verbs;

/**
 * A verbs object that stands in front of another of its kind, to count, log or fail calls: a
 * decorator implements the object's interface and this. Where it is an argument, backends take the
 * object beneath, so that a decorated completion queue can be given to a new queue pair. What a
 * backend gives back, such as {@link QueuePair#sendCq}, is the object beneath.
 *
 * <pre>{@code
 * record CountedQueue(CompletionQueue unwrap, LongAdder polls) implements Wrapper<CompletionQueue>, ...
 * }</pre>
 *
 * @param <T> the object's interface
 */
public interface Wrapper<T> {
  /** A longer chain of decorators counts as a circle. */
  int MOST_DEEP = 100;

  /** The object that this decorates; not null, and not this. */
  T unwrap();

  /**
   * The object behind all decorators; the object itself where there is none.
   *
   * @param object may be null
   * @throws VerbsException EINVAL if the decorators form a circle, or one gives null
   */
  @SuppressWarnings("unchecked") // a decorator gives what it implements
  static <T> T innermost(T object) {
    T beneath = object;
    for (int deep = 0; beneath instanceof Wrapper<?> wrapper; deep++) {
      beneath = (T) wrapper.unwrap();
      if (beneath == null || deep == MOST_DEEP) {
        throw new VerbsException(
            Errno.EINVAL,
            "a decorator must give the object that it decorates: unwrap() gives "
                + (beneath == null ? "null" : "decorators without end"));
      }
    }
    return beneath;
  }
}
