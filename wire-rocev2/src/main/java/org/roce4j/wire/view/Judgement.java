package org.roce4j.wire.view;

/** A rule beside a packet. */
record Judgement(Rule rule, Verdict verdict) {
  /** What the packet does with the rule. */
  enum Verdict {
    KEEPS("keeps"),
    BREAKS("breaks"),
    /** The rule says what follows from the packet. */
    CALLS_FOR("calls for");

    private final String word;

    Verdict(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  static Judgement of(Rule rule, boolean kept) {
    return new Judgement(rule, kept ? Verdict.KEEPS : Verdict.BREAKS);
  }

  static Judgement of(Rule rule) {
    return new Judgement(rule, Verdict.CALLS_FOR);
  }
}
