package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_cq_init_attr_ex}: the attributes of a new extended completion queue. Fluent;
 * not thread-safe.
 */
public final class CqInitAttr {
  private int cqe = 1;
  private Object userContext;
  private CompletionChannel channel;
  private int compVector;
  private int wcFlags = WcExFlags.STANDARD;
  private int flags;

  /** Sets the completions that it must hold, 1..maxCqe. */
  public CqInitAttr cqe(int value) {
    cqe = value;
    return this;
  }

  /** Sets the program's object that events return; may be null. */
  public CqInitAttr userContext(Object value) {
    userContext = value;
    return this;
  }

  /** Sets where completion events go; null for none. */
  public CqInitAttr channel(CompletionChannel value) {
    channel = Wrapper.innermost(value);
    return this;
  }

  /** Sets the completion vector, 0..numCompVectors-1. */
  public CqInitAttr compVector(int value) {
    compVector = value;
    return this;
  }

  /** Sets the fields of a completion that can be read, of {@link WcExFlags}. */
  public CqInitAttr wcFlags(int value) {
    wcFlags = value;
    return this;
  }

  /** Sets the flags, of {@link CqCreateFlags}. */
  public CqInitAttr flags(int value) {
    flags = value;
    return this;
  }

  /** Completions that it must hold. */
  public int cqe() {
    return cqe;
  }

  /** The program's object that events return, or null. */
  public Object userContext() {
    return userContext;
  }

  /** Where completion events go, or null. */
  public CompletionChannel channel() {
    return channel;
  }

  /** Which event vector, or engine of an emulated device, serves the queue; 0 unless set. */
  public int compVector() {
    return compVector;
  }

  /**
   * The fields of a completion that can be read, of {@link WcExFlags}; default: {@link
   * WcExFlags#STANDARD}.
   */
  public int wcFlags() {
    return wcFlags;
  }

  /** Of {@link CqCreateFlags}. */
  public int flags() {
    return flags;
  }

  @Override
  public String toString() {
    return Wording.of(
        "CQ of %d completions, comp_vector %d, %s, %s",
        cqe, compVector, WcExFlags.toString(wcFlags), CqCreateFlags.toString(flags));
  }
}
