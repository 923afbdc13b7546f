package org.roce4j.wire.view;

/** A rule applied to a packet. */
record Judgement(Rule rule, Verdict verdict) {
  /** The relation of the packet to the rule. */
  enum Verdict {
    KEEPS("keeps"),
    BREAKS("breaks"),
    /** The rule says what must follow the packet. */
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
