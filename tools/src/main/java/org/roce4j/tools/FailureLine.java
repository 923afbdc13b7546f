package org.roce4j.tools;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.roce4j.tools.console.Farewell;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns exceptions into a line on stderr and an exit status. */
final class FailureLine {
  private final BooleanSupplier debug;

  FailureLine(BooleanSupplier debug) {
    this.debug = debug;
  }

  /** A command line that is wrong. */
  int usage(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    String message =
        e instanceof UnmatchedArgumentException unmatched
            ? unmatched(unmatched)
            : plain(oneLine(e.getMessage()));
    if (e.getCause() instanceof VerbsException cause && !message.contains(cause.remedy())) {
      message += ": " + oneLine(cause.remedy());
    }
    print(command, asTyped(message, command, List.of(args)) + " (" + name + " --help explains)", e);
    return ToolFailure.USAGE;
  }

  private static final Pattern CHOICE =
      Pattern.compile("expected one of \\[(.*)] \\(case-insensitive\\) but was ('.*')");

  /** The parser's message without Java's types; choices as they are written. */
  private static String plain(String message) {
    Matcher choice = CHOICE.matcher(message);
    String lower =
        choice.find()
            ? choice.replaceFirst(
                Matcher.quoteReplacement(
                    choice.group(2) + " is none of " + choice.group(1).toLowerCase(Locale.ROOT)))
            : message;
    return lower
        .replaceFirst(
            "^Invalid value for positional parameter at index \\d+ \\(([^)]+)\\): ", "$1: ")
        .replaceFirst("^Invalid value for option '(-[^']+)'[^:]*: ", "$1: ")
        .replaceFirst(
            "^Value for option option '(-[^']+)' \\((\\S+)\\) should be in KEY=VALUE format but was"
                + " (.*)$",
            "$1: '$3' is no $2")
        .replaceFirst("^Error: ", "")
        .replaceFirst("' is not an? (?:double|float)$", "' is not a number")
        .replaceFirst("' is not an? (?:long|int)$", "' is not a whole number, or too large");
  }

  /** The unknown word, and a known word of similar spelling. */
  private static String unmatched(UnmatchedArgumentException e) {
    String word = e.getUnmatched().getFirst();
    boolean noCommand = !e.isUnknownOption() && e.getCommandLine().getParent() == null;
    String kind =
        noCommand
            ? "there is no command '"
            : e.isUnknownOption() ? "there is no option '" : "not understood: '";
    List<String> meant = e.getSuggestions().stream().limit(1).toList();
    return kind + word + "'" + (meant.isEmpty() ? "" : "; did you mean " + meant.getFirst() + "?");
  }

  /** A message that begins with an option names it as it was typed: it may have several names. */
  private static String asTyped(String message, CommandLine command, List<String> args) {
    for (OptionSpec option : command.getCommandSpec().options()) {
      for (String name : option.names()) {
        if (message.matches(Pattern.quote(name) + "\\b.*") && !isTyped(name, args)) {
          return Stream.of(option.names())
              .filter(other -> isTyped(other, args))
              .findFirst()
              .map(typed -> typed + message.substring(name.length()))
              .orElse(message);
        }
      }
    }
    return message;
  }

  private static boolean isTyped(String name, List<String> args) {
    return args.stream()
        .anyMatch(
            arg -> arg.equals(name) || arg.startsWith(name.startsWith("--") ? name + "=" : name));
  }

  /** A failure while the command ran. */
  int execution(Exception e, CommandLine command, ParseResult parsed) {
    return report(command, e, parsed.originalArgs());
  }

  /** Any failure. */
  int report(CommandLine command, Throwable e, List<String> args) {
    String message = asTyped(describe(e), command, args);
    if (!message.isEmpty() && !Farewell.isTime()) {
      print(command, message, e);
    }
    return switch (e) {
      case ToolFailure failure -> failure.exitCode();
      case VerbsException refused when isWrongHere(refused.errno()) -> ToolFailure.USAGE;
      default -> ToolFailure.RUN_TIME;
    };
  }

  /** Whether a verb failed because this machine or this device lacks a feature. */
  private static boolean isWrongHere(Errno errno) {
    return switch (errno) {
      case EINVAL, EADDRNOTAVAIL, EOPNOTSUPP -> true;
      default -> false;
    };
  }

  private void print(CommandLine command, String message, Throwable e) {
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    err.println(command.getColorScheme().errorText(name + ": " + message));
    if (debug.getAsBoolean()) {
      e.printStackTrace(err);
    }
    err.flush();
  }

  private static String describe(Throwable e) {
    return switch (e) {
      case ToolFailure failure -> oneLine(failure.getMessage());
      case VerbsException refused ->
          oneLine(refused.remedy()) + " (" + refused.errno() + ", " + refused.errno().text() + ")";
      case OutOfMemoryError full ->
          "not enough memory: " + oneLine(full.getMessage()) + "; choose a smaller --size";
      default ->
          "internal error, please report it with the output of --debug: "
              + e.getClass().getSimpleName()
              + (e.getMessage() == null ? "" : ": " + oneLine(e.getMessage()));
    };
  }

  private static String oneLine(String text) {
    return text == null
        ? "no details"
        : text.strip().replaceAll("\\s*\\R\\s*", "; ").replaceAll("\\p{Cntrl}+", " ");
  }
}
