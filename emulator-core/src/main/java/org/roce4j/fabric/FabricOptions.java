package org.roce4j.fabric;

import org.roce4j.options.Quantity;
import org.roce4j.options.Word;

/**
 * How a fabric is made; {@link #toString} says it in one line and {@link #parse} reads that line.
 *
 * @param seed of all faults and jitter; each link draws from streams of its own
 * @param icrc whether ICRCs are computed and checked; if not, a corrupted datagram is known to be
 *     wrong without, and all others arrive as unchecked
 * @param receiveBufferBytes of UDP payload that may wait in one port; 0: unlimited
 * @param memoryBytes that datagrams under way may take altogether
 * @param link how every link behaves unless told otherwise
 */
public record FabricOptions(
    long seed, boolean icrc, int receiveBufferBytes, long memoryBytes, LinkModel link) {
  /** EINVAL for a negative size. */
  public FabricOptions {
    Quantity.requireRange("receive-buffer", receiveBufferBytes, 0, Integer.MAX_VALUE);
    Quantity.requireRange("memory", memoryBytes, 0, Long.MAX_VALUE);
  }

  /** A fabric without faults. */
  public static FabricOptions of(long seed) {
    return new FabricOptions(seed, true, 0, 256L << 20, LinkModel.PERFECT);
  }

  /** The same with another seed: other losses at the same rate. */
  public FabricOptions withSeed(long value) {
    return new FabricOptions(value, icrc, receiveBufferBytes, memoryBytes, link);
  }

  /** The same with or without ICRCs; without, sending costs less. */
  public FabricOptions withIcrc(boolean value) {
    return new FabricOptions(seed, value, receiveBufferBytes, memoryBytes, link);
  }

  /** The same with another receive buffer per port, in bytes of UDP payload; 0: unlimited. */
  public FabricOptions withReceiveBufferBytes(int value) {
    return new FabricOptions(seed, icrc, value, memoryBytes, link);
  }

  /** The same with another limit of bytes under way. */
  public FabricOptions withMemoryBytes(long value) {
    return new FabricOptions(seed, icrc, receiveBufferBytes, value, link);
  }

  /** The same with another model for links that are not told otherwise. */
  public FabricOptions withLink(LinkModel value) {
    return new FabricOptions(seed, icrc, receiveBufferBytes, memoryBytes, value);
  }

  /**
   * The options that {@link #toString} prints; what is absent keeps its default.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, naming what is not understood
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
    return "seed=%d icrc=%s receive-buffer=%s memory=%s %s"
        .formatted(
            seed,
            icrc ? "on" : "off",
            Quantity.SIZE.print(receiveBufferBytes),
            Quantity.SIZE.print(memoryBytes),
            link);
  }
}
