package org.roce4j.wire.view;

/** A rule applied to a packet. */
record RuleJudgement(ProtocolRule rule, Verdict verdict) {
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

  static RuleJudgement of(ProtocolRule rule, boolean kept) {
    return new RuleJudgement(rule, kept ? Verdict.KEEPS : Verdict.BREAKS);
  }

  static RuleJudgement of(ProtocolRule rule) {
    return new RuleJudgement(rule, Verdict.CALLS_FOR);
  }
}
