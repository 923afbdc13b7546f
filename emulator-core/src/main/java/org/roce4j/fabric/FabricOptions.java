package org.roce4j.fabric;

import org.roce4j.options.Quantity;
import org.roce4j.options.Word;
import org.roce4j.verbs.text.Wording;

/**
 * Options of a fabric. {@link #toString} prints them in one line, which {@link #parse} reads.
 *
 * @param seed seed of all faults and jitter, which each link draws independently
 * @param icrc whether ICRCs are computed and checked; if not, corrupted datagrams arrive as wrong
 *     and all others as unchecked
 * @param receiveBufferBytes bytes of UDP payload that may wait in one port; 0: unlimited
 * @param memoryBytes bytes of memory for all datagrams in flight
 * @param link default model of links
 */
public record FabricOptions(
    long seed, boolean icrc, int receiveBufferBytes, long memoryBytes, LinkModel link) {
  /** Throws EINVAL for a negative size. */
  public FabricOptions {
    Quantity.requireRange("receive-buffer", receiveBufferBytes, 0, Integer.MAX_VALUE);
    Quantity.requireRange("memory", memoryBytes, 0, Long.MAX_VALUE);
  }

  /** A fabric without faults. */
  public static FabricOptions of(long seed) {
    return new FabricOptions(seed, true, 0, 256L << 20, LinkModel.PERFECT);
  }

  /** These options with another seed: other losses at the same rate. */
  public FabricOptions withSeed(long value) {
    return new FabricOptions(value, icrc, receiveBufferBytes, memoryBytes, link);
  }

  /** These options with or without ICRCs; without them sending costs less. */
  public FabricOptions withIcrc(boolean value) {
    return new FabricOptions(seed, value, receiveBufferBytes, memoryBytes, link);
  }

  /** These options with another receive buffer per port, in bytes of UDP payload; 0: unlimited. */
  public FabricOptions withReceiveBufferBytes(int value) {
    return new FabricOptions(seed, icrc, value, memoryBytes, link);
  }

  /** These options with another limit of memory, in bytes. */
  public FabricOptions withMemoryBytes(long value) {
    return new FabricOptions(seed, icrc, receiveBufferBytes, value, link);
  }

  /** These options with another default model of links. */
  public FabricOptions withLink(LinkModel value) {
    return new FabricOptions(seed, icrc, receiveBufferBytes, memoryBytes, value);
  }

  /**
   * Parses options as {@link #toString} prints them; absent ones have their defaults.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL with the word that is not understood
   */
  public static FabricOptions parse(String text) {
    FabricOptions options = of(0);
    for (Word word : Word.line(text)) {
      options = options.with(word);
    }
    return options;
  }

  private FabricOptions with(Word word) {
    return switch (word.key()) {
      case "seed" -> withSeed(word.read(Quantity.COUNT::read));
      case "icrc" -> withIcrc(word.read(Word::isOn));
      case "receive-buffer" ->
          withReceiveBufferBytes(
              word.read(text -> (int) Quantity.SIZE.read(text, 0, Integer.MAX_VALUE)));
      case "memory" -> withMemoryBytes(word.read(Quantity.SIZE::read));
      default -> {
        LinkModel changed = link.with(word);
        if (changed == null) {
          throw Quantity.refuse("'%s' is no option of a fabric; it has: %s", word, of(0));
        }
        yield withLink(changed);
      }
    };
  }

  @Override
  public String toString() {
    return Wording.of(
        "seed=%d icrc=%s receive-buffer=%s memory=%s %s",
        seed,
        icrc ? "on" : "off",
        Quantity.SIZE.print(receiveBufferBytes),
        Quantity.SIZE.print(memoryBytes),
        link);
  }
}
