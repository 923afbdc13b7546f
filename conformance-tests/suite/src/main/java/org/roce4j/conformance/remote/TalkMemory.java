package org.roce4j.conformance.remote;

import static org.roce4j.conformance.remote.Talk.check;

import java.util.Arrays;
import java.util.HexFormat;
import org.roce4j.conformance.dialogue.MessagePattern;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * The statements of a {@link Script} about the subject's memory: windows, regions and their bytes.
 * Offsets count in the empty half; the pattern has negative offsets.
 */
public final class TalkMemory {
  private final Subject subject;

  TalkMemory(Subject subject) {
    this.subject = subject;
  }

  // ---- windows and regions

  /**
   * Allocates a memory window. {@code NAME.key} is its key, {@code NAME.next} the key after that.
   */
  public void window(String name, MwType type) {
    subject.allocWindow(name, type);
  }

  /** Binds a window of type 1 to the region with this name, or to {@code none}. */
  public void binds(String name, String region, long va, long length, int access) {
    subject.bindWindow(name, region, va, length, access);
  }

  /** The window's current key is {@code key}. */
  public void tellsKey(String name, int key) {
    int found = subject.windowKey(name);
    check(found == key, Wording.of("the key of %s is %x, not %x", name, found, key));
  }

  /** Deallocates a window. */
  public void frees(String name) {
    subject.freeWindow(name);
  }

  /**
   * Registers the memory again; the keys are {@code NAME.lkey} and {@code NAME.rkey}.
   *
   * @param access rights of {@link org.roce4j.verbs.AccessFlags}
   */
  public void registers(String name, int access) {
    subject.register(name, access, true);
  }

  /** As {@link #registers}, in a protection domain of its own. */
  public void registersElsewhere(String name, int access) {
    subject.register(name, access, false);
  }

  /** Deregistering the region is refused. */
  public void keepsRegion() {
    boolean refused = false;
    try {
      deregisters();
    } catch (VerbsException | Subject.Refused expected) {
      refused = true;
    }
    check(refused, "the region can be deregistered");
  }

  /** Deregisters the region of the pattern and the empty half. */
  public void deregisters() {
    deregisters("region");
  }

  /** Deregisters the region with this name. */
  public void deregisters(String name) {
    subject.deregister(name);
  }

  /** Changes the region's rights, which are those of {@link org.roce4j.verbs.AccessFlags}. */
  public void reregisters(int access) {
    subject.reregister(access);
  }

  // ---- bytes

  /**
   * Bytes {@code [from, to)} of the empty half hold the pattern's bytes, and the next byte is
   * empty.
   */
  public void landed(int from, int to) {
    landed(from, to, from);
    check(subject.bytes(to, to + 1)[0] == 0, "byte " + to + " was overwritten");
  }

  /** Bytes {@code [from, to)} of a message are at {@code offset}. */
  public void landed(int from, int to, int offset) {
    byte[] found = subject.bytes(offset, offset + to - from);
    boolean same = Arrays.equals(found, MessagePattern.bytes(from, to).toArray());
    check(same, Wording.of("bytes %d to %d are not what was sent", from, to));
  }

  /** The bytes from {@code offset} on are {@code digits}, in hexadecimal. */
  public void holdsBytes(int offset, String digits) {
    String found = HexFormat.of().formatHex(subject.bytes(offset, offset + digits.length() / 2));
    check(found.equals(digits), Wording.of("there is %s, not %s", found, digits));
  }

  /** Nothing was written to the empty half. */
  public void nothingLanded() {
    check(
        Arrays.equals(subject.bytes(0, Subject.HALF), new byte[Subject.HALF]),
        "something was written, and should not");
  }

  /** The eight bytes at {@code offset} are this number. */
  public void word(int offset, long value) {
    long found = subject.word(offset);
    check(found == value, Wording.of("the word is %d, not %d", found, value));
  }

  /** Stores a number in the empty half. */
  public void stores(int offset, long value) {
    subject.word(offset, value);
  }
}
