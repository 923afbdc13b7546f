package org.roce4j.lab;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.lab.Action.Payload;
import org.roce4j.options.Quantity;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultMatcher;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WrOpcode;

/**
 * Actions as lines: a verb, the names of its objects, then words as {@code key=value}. Defaults are
 * left out; {@code read(of(action))} equals the action.
 */
public final class ActionText {
  private static final int ALL_RIGHTS =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
  private static final Set<String> POSTS =
      Set.of("send", "write", "read", "compare_swap", "fetch_add", "receive");
  private static final int MOST_STEPS = 10_000;

  private ActionText() {}

  /**
   * The action of a line.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL with the word that is not understood
   */
  public static Action read(String line) {
    ActionWords words = new ActionWords(line);
    Action action = read(words.next("an action"), words);
    words.done();
    return action;
  }

  private static Action read(String verb, ActionWords words) {
    return switch (verb) {
      case "create" -> new Action.Create(words.next("a device"), service(words));
      case "connect" ->
          new Action.Connect(
              words.next("a device"), words.next("another"), service(words), words.settings());
      case "modify" ->
          new Action.Modify(
              words.next("a queue pair"),
              words.constant("state", QpState.class),
              words.text("peer", ""),
              words.settings());
      case "key" -> new Action.Key(words.next("a queue pair"), words.optional("value"));
      case "register" -> new Action.Register(words.next("a device"), rights(words));
      case "port" -> new Action.SetPort(words.next("a device"), up(words.next("up or down")));
      case "step" -> new Action.Step(words.number("times", 1, MOST_STEPS));
      case "run" -> new Action.Run(words.time("for"));
      case "packet" -> strike(words);
      default -> post(verb, words);
    };
  }

  private static Action post(String verb, ActionWords words) {
    if (!POSTS.contains(verb)) {
      throw Quantity.refuse(
          "'%s' is no action; there are: create connect modify send write read compare_swap"
              + " fetch_add receive key register port packet step run",
          verb);
    }
    String qp = words.next("a queue pair");
    return switch (verb) {
      case "send" ->
          new Action.Send(
              qp, payload(words), words.optional("imm"), words.text("to", ""), queue(words));
      case "write" ->
          new Action.Write(qp, payload(words), place(words, "at"), words.optional("imm"));
      case "read" ->
          new Action.Read(
              qp,
              place(words, "at"),
              place(words, "into"),
              words.number("bytes", 8, Action.MEMORY_BYTES));
      case "compare_swap" ->
          new Action.Atomic(
              qp,
              WrOpcode.ATOMIC_CMP_AND_SWP,
              place(words, "at"),
              place(words, "into"),
              words.wide("compare"),
              words.wide("swap"));
      case "fetch_add" ->
          new Action.Atomic(
              qp,
              WrOpcode.ATOMIC_FETCH_AND_ADD,
              place(words, "at"),
              place(words, "into"),
              words.wide("add"),
              0);
      default ->
          new Action.Receive(
              qp,
              place(words, "into"),
              words.number("bytes", 64, Action.MEMORY_BYTES),
              queue(words));
    };
  }

  private static int place(ActionWords words, String key) {
    return words.number(key, 0, Action.MEMORY_BYTES);
  }

  private static int queue(ActionWords words) {
    return words.number("queue", 0, 1);
  }

  private static QpType service(ActionWords words) {
    String service = words.text("service", "RC").toUpperCase(Locale.ROOT);
    return switch (service) {
      case "RC" -> QpType.RC;
      case "UC" -> QpType.UC;
      case "UD" -> QpType.UD;
      case "XRC" -> QpType.XRC_SEND;
      default -> throw Quantity.refuse("'%s' is no service; there are: RC UC UD XRC", service);
    };
  }

  private static String service(QpType type) {
    return switch (type) {
      case RC -> "";
      case XRC_SEND -> "XRC";
      default -> type.name();
    };
  }

  private static boolean up(String word) {
    return switch (word) {
      case "up" -> true;
      case "down" -> false;
      default -> throw Quantity.refuse("'%s': say up or down", word);
    };
  }

  private static Payload payload(ActionWords words) {
    String text = words.text("text", "");
    int bytes = words.number("bytes", Payload.bytes(text), Action.MEMORY_BYTES);
    return new Payload(place(words, "from"), bytes, text);
  }

  private static int rights(ActionWords words) {
    int rights = 0;
    for (String right : words.text("rights", "write,read,atomic").split(",")) {
      rights |=
          switch (right) {
            case "write" -> AccessFlags.REMOTE_WRITE;
            case "read" -> AccessFlags.REMOTE_READ;
            case "atomic" -> AccessFlags.REMOTE_ATOMIC;
            case "none" -> 0;
            default ->
                throw Quantity.refuse("'%s' is no right: write, read, atomic, or none", right);
          };
    }
    return rights;
  }

  private static String rights(int rights) {
    if (rights == ALL_RIGHTS) {
      return "";
    }
    String all =
        Stream.of(
                (rights & AccessFlags.REMOTE_WRITE) != 0 ? "write" : "",
                (rights & AccessFlags.REMOTE_READ) != 0 ? "read" : "",
                (rights & AccessFlags.REMOTE_ATOMIC) != 0 ? "atomic" : "")
            .filter(right -> !right.isEmpty())
            .collect(Collectors.joining(","));
    return all.isEmpty() ? "none" : all;
  }

  private static Action strike(ActionWords words) {
    String number = words.next("a packet by its number");
    int packet = (int) Quantity.COUNT.read(number, 1, Integer.MAX_VALUE);
    String fault = words.rest();
    List<FaultRule> rules = fault.isEmpty() ? List.of() : FaultPlan.parse(fault).rules();
    if (rules.size() != 1) {
      throw Quantity.refuse("packet %d: give one fault, such as drop or delay=1ms", packet);
    }
    FaultRule rule = rules.getFirst();
    if (!rule.equals(new FaultRule(FaultMatcher.ALL, FaultChoice.ALL, rule.action()))) {
      throw Quantity.refuse(
          "packet %d is chosen by its number: leave out what else chooses from '%s'",
          packet, fault);
    }
    return new Action.Strike(packet, rule.action());
  }

  // ---- writing

  static String of(Action action) {
    return switch (action) {
      case Action.Create a ->
          line("create", a.device()).word("service", service(a.service())).text();
      case Action.Connect a ->
          line("connect", a.left(), a.right())
              .word("service", service(a.service()))
              .settings(a.settings())
              .text();
      case Action.Modify a ->
          line("modify", a.qp())
              .word("state", a.state() == null ? "" : a.state().name())
              .word("peer", a.peer())
              .settings(a.settings())
              .text();
      case Action.Send a ->
          line("send", a.qp())
              .payload(a.payload())
              .hex("imm", a.immediate())
              .word("to", a.to())
              .number("queue", a.queue())
              .text();
      case Action.Write a ->
          line("write", a.qp())
              .payload(a.payload())
              .number("at", a.at())
              .hex("imm", a.immediate())
              .text();
      case Action.Read a ->
          line("read", a.qp()).places(a.at(), a.into()).word("bytes", a.bytes()).text();
      case Action.Atomic a when a.kind() == WrOpcode.ATOMIC_CMP_AND_SWP ->
          line("compare_swap", a.qp())
              .places(a.at(), a.into())
              .word("compare", a.compareAdd())
              .word("swap", a.swap())
              .text();
      case Action.Atomic a ->
          line("fetch_add", a.qp()).places(a.at(), a.into()).word("add", a.compareAdd()).text();
      case Action.Receive a ->
          line("receive", a.qp())
              .number("into", a.into())
              .word("bytes", a.bytes())
              .number("queue", a.queue())
              .text();
      case Action.Key a -> line("key", a.qp()).hex("value", a.value()).text();
      case Action.Register a ->
          line("register", a.device()).word("rights", rights(a.rights())).text();
      case Action.SetPort a -> line("port", a.device(), a.up() ? "up" : "down").text();
      case Action.Strike a -> line("packet", a.packet() + "", a.fault().toString()).text();
      case Action.Step a -> line("step").word("times", a.times() == 1 ? "" : a.times()).text();
      case Action.Run a ->
          line("run").word("for", a.forNs() == null ? "" : Quantity.TIME.print(a.forNs())).text();
    };
  }

  private static LineText line(String... words) {
    LineText line = new LineText();
    for (String word : words) {
      line.words.add(word);
    }
    return line;
  }

  /** A line that is being written. */
  private static final class LineText {
    private final StringJoiner words = new StringJoiner(" ");

    /** Nothing for null and for the empty text. */
    LineText word(String key, Object value) {
      String text = value == null ? "" : value.toString();
      if (!text.isEmpty()) {
        words.add(key + "=" + (text.matches("\\S+") ? text : "'" + text + "'"));
      }
      return this;
    }

    /** 32 bits; nothing for null. */
    LineText hex(String key, Integer value) {
      return word(key, value == null ? "" : "0x" + Integer.toHexString(value));
    }

    /** Nothing for 0. */
    LineText number(String key, int value) {
      return value == 0 ? this : word(key, value);
    }

    LineText places(int at, int into) {
      return number("at", at).number("into", into);
    }

    LineText payload(Payload payload) {
      return number("from", payload.from())
          .word("text", payload.text())
          .word("bytes", payload.bytes() == Payload.bytes(payload.text()) ? "" : payload.bytes());
    }

    LineText settings(Map<QpSetting, Integer> settings) {
      for (QpSetting setting : QpSetting.values()) {
        word(setting.key(), settings.get(setting));
      }
      return this;
    }

    String text() {
      return words.toString();
    }
  }
}
