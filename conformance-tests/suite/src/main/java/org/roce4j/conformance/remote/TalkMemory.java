package org.roce4j.conformance.remote;

import static org.roce4j.conformance.remote.Talk.check;

import java.util.Arrays;
import java.util.HexFormat;
import org.roce4j.conformance.dialogue.Pattern;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.VerbsException;

/**
 * Statements of a {@link Script} about the subject's memory: its windows, its regions, and what
 * their bytes are. Offsets count from the beginning of the empty half; the pattern is below 0.
 */
public final class TalkMemory {
  private final Subject subject;

  TalkMemory(Subject subject) {
    this.subject = subject;
  }

  // ---- windows and regions

  /** Allocates a memory window; its key is {@code NAME.key}, the one after it {@code NAME.next}. */
  public void window(String name, MwType type) {
    subject.allocWindow(name, type);
  }

  /** Binds a window of type 1 to a region by its name, or to {@code none}. */
  public void binds(String name, String region, long va, long length, int access) {
    subject.bindWindow(name, region, va, length, access);
  }

  /** The window's key. */
  public void tellsKey(String name, int key) {
    int found = subject.windowKey(name);
    check(found == key, "the key of %s is %x, not %x".formatted(name, found, key));
  }

  /** Deallocates a window. */
  public void frees(String name) {
    subject.freeWindow(name);
  }

  /**
   * Registers the memory once more; its keys are {@code NAME.lkey} and {@code NAME.rkey}.
   *
   * @param access of {@link org.roce4j.verbs.AccessFlags}
   */
  public void registers(String name, int access) {
    subject.register(name, access, true);
  }

  /** Likewise, in a protection domain of its own. */
  public void registersElsewhere(String name, int access) {
    subject.register(name, access, false);
  }

  /** The region cannot be deregistered now. */
  public void keepsRegion() {
    try {
      deregisters();
    } catch (VerbsException | Subject.Refused expected) {
      return;
    }
    throw new AssertionError("the region can be deregistered");
  }

  /** Deregisters the region of pattern and empty half. */
  public void deregisters() {
    deregisters("region");
  }

  /** Deregisters a region by its name. */
  public void deregisters(String name) {
    subject.deregister(name);
  }

  /** Gives the region other rights, of {@link org.roce4j.verbs.AccessFlags}. */
  public void reregisters(int access) {
    subject.reregister(access);
  }

  // ---- bytes

  /** Bytes {@code [from, to)} of the empty half are those of the pattern, the next is empty. */
  public void landed(int from, int to) {
    landed(from, to, from);
    check(subject.bytes(to, to + 1)[0] == 0, "byte " + to + " was overwritten");
  }

  /** Bytes {@code [from, to)} of a message are at this offset. */
  public void landed(int from, int to, int offset) {
    byte[] found = subject.bytes(offset, offset + to - from);
    boolean same = Arrays.equals(found, Pattern.bytes(from, to).toArray());
    check(same, "bytes %d to %d are not what was sent".formatted(from, to));
  }

  /** From this offset on there are these bytes, in hexadecimal digits. */
  public void holdsBytes(int offset, String digits) {
    String found = HexFormat.of().formatHex(subject.bytes(offset, offset + digits.length() / 2));
    check(found.equals(digits), "there is %s, not %s".formatted(found, digits));
  }

  /** Nothing was written to the empty half. */
  public void nothingLanded() {
    check(
        Arrays.equals(subject.bytes(0, Subject.HALF), new byte[Subject.HALF]),
        "something was written, and should not");
  }

  /** Eight bytes of the empty half are this number. */
  public void word(int offset, long value) {
    long found = subject.word(offset);
    check(found == value, "the word is %d, not %d".formatted(found, value));
  }

  /** Stores a number in the empty half. */
  public void stores(int offset, long value) {
    subject.word(offset, value);
  }
}
