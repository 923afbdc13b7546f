package org.roce4j.conformance.remote;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.roce4j.conformance.dialogue.Dialogue;
import org.roce4j.conformance.dialogue.PacketDraft;

/**
 * A line of a {@link Script}: the name of a method of {@link Talk}, {@link TalkMemory} or {@link
 * Dialogue}, and its arguments, separated by commas. The last arguments may be packets. The name of
 * another queue pair may precede a statement or a packet.
 */
final class Statement {
  private Statement() {}

  /** Executes a statement. */
  static void run(Talk talk, String statement) {
    run(talk, Words.of(statement));
  }

  private static void run(Talk talk, List<String> words) {
    String verb = words.getFirst();
    if (talk.other(verb) != null) {
      run(talk.other(verb), words.subList(1, words.size()));
      return;
    }
    Object listener =
        Words.names(Talk.class, verb)
            ? talk
            : Words.names(TalkMemory.class, verb) ? talk.memory : talk.d;
    Method speaks = listener == talk.d ? speech(verb) : null;
    if (speaks == null) {
      Words.call(listener, listener.getClass(), words, talk.numbers::argument);
      return;
    }
    int fixed = speaks.getParameterCount() - 1;
    List<Object> arguments = new ArrayList<>();
    for (int i = 0; i < fixed; i++) {
      arguments.add(talk.numbers.argument(words.get(1 + i), speaks.getParameterTypes()[i]));
    }
    PacketDraft[] drafts = drafts(talk, verb, words.subList(1 + fixed, words.size()));
    arguments.add(speaks.isVarArgs() ? drafts : drafts[0]);
    Words.call(talk.d, speaks, arguments.toArray());
  }

  /** The method of {@link Dialogue} that takes packets as its last arguments, or null. */
  private static Method speech(String verb) {
    return Stream.of(Dialogue.class.getMethods())
        .filter(method -> method.getName().equals(verb) && method.getParameterCount() > 0)
        .filter(
            method -> {
              Class<?> type = method.getParameterTypes()[method.getParameterCount() - 1];
              return type == PacketDraft.class || type == PacketDraft[].class;
            })
        .findAny()
        .orElse(null);
  }

  private static PacketDraft[] drafts(Talk talk, String verb, List<String> words) {
    List<PacketDraft> drafts = new ArrayList<>();
    for (String one : String.join(" ", words).split(",")) {
      boolean ours = verb.startsWith("says");
      drafts.add(draft(talk, ours, Words.of(one)));
    }
    return drafts.toArray(PacketDraft[]::new);
  }

  private static PacketDraft draft(Talk talk, boolean ours, List<String> words) {
    List<String> rest = words.subList(1, words.size());
    Talk other = talk.other(words.getFirst());
    if (other != null) {
      return draft(other, ours, rest);
    }
    boolean datagram = words.getFirst().equals("datagram");
    Object speaker =
        datagram ? (ours ? talk.datagrams : talk.datagramsHere) : (ours ? talk.peer : talk.here);
    List<String> packet = datagram ? rest : words;
    return (PacketDraft) Words.call(speaker, speaker.getClass(), packet, talk.numbers::argument);
  }
}
