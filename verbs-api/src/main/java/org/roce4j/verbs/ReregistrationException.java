package org.roce4j.verbs;

/** {@code ibv_rereg_mr} failed: the errno, and which region is valid now. */
public final class ReregistrationException extends VerbsException {
  private static final long serialVersionUID = 1L;

  private final ReregError error;

  /**
   * @param why the refusal
   */
  public ReregistrationException(ReregError error, VerbsException why) {
    super(why.errno(), why.remedy(), why);
    this.error = error;
  }

  /** Which step failed, and so which region is valid. */
  public ReregError error() {
    return error;
  }

  /** Runs checks; if they refuse, the region is as it was. For backends. */
  public static void input(Runnable checks) {
    try {
      checks.run();
    } catch (ReregistrationException e) {
      throw e;
    } catch (VerbsException e) {
      throw new ReregistrationException(ReregError.INPUT, e);
    }
  }
}
