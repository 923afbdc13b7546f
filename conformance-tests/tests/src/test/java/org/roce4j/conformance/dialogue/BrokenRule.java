package org.roce4j.conformance.dialogue;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/** Puts the rule before the message of a dialogue that failed. */
final class BrokenRule implements TestExecutionExceptionHandler {
  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    if (failure instanceof TestAbortedException) {
      throw failure;
    }
    Holds holds = context.getRequiredTestMethod().getAnnotation(Holds.class);
    if (holds == null) {
      holds = context.getRequiredTestClass().getAnnotation(Holds.class);
    }
    String what = failure instanceof AssertionError ? failure.getMessage() : failure.toString();
    AssertionError named = new AssertionError(holds.value() + System.lineSeparator() + what);
    named.initCause(failure);
    throw named;
  }
}
