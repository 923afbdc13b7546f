package org.roce4j.fabric;

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
  public FabricOptions {
    if (receiveBufferBytes < 0) {
      throw LinkModel.refuse("receive-buffer=" + receiveBufferBytes + " is negative; 0: unlimited");
    }
    if (memoryBytes < 0) {
      throw LinkModel.refuse("memory=" + memoryBytes + " is negative");
    }
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A fabric without faults. */
  public static FabricOptions of(long seed) {
    return builder().seed(seed).build();
  }

  /** The options that {@link #toString} prints; what is absent keeps its default. */
  public static FabricOptions parse(String text) {
    Builder builder = builder();
    LinkModel.Builder link = LinkModel.builder();
    for (String option : text.strip().split("\\s+")) {
      int equals = option.indexOf('=');
      String key = equals < 0 ? option : option.substring(0, equals);
      String value = equals < 0 ? "" : option.substring(equals + 1);
      if (!option.isEmpty() && (equals < 0 || !(builder.set(key, value) || link.set(key, value)))) {
        throw LinkModel.refuse(
            "'" + option + "' is no option of a fabric; it has: " + builder().build());
      }
    }
    return builder.link(link.build()).build();
  }

  @Override
  public String toString() {
    return "seed="
        + seed
        + " icrc="
        + (icrc ? "on" : "off")
        + " receive-buffer="
        + receiveBufferBytes
        + " memory="
        + memoryBytes
        + " "
        + link;
  }

  /** Gathers {@link FabricOptions}. */
  public static final class Builder {
    private long seed;
    private boolean icrc = true;
    private int receiveBufferBytes;
    private long memoryBytes = 256L << 20;
    private LinkModel link = LinkModel.PERFECT;

    Builder() {}

    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    public Builder icrc(boolean icrc) {
      this.icrc = icrc;
      return this;
    }

    public Builder receiveBufferBytes(int receiveBufferBytes) {
      this.receiveBufferBytes = receiveBufferBytes;
      return this;
    }

    public Builder memoryBytes(long memoryBytes) {
      this.memoryBytes = memoryBytes;
      return this;
    }

    public Builder link(LinkModel link) {
      this.link = link;
      return this;
    }

    boolean set(String key, String value) {
      switch (key) {
        case "seed" -> seed = OptionText.number(key, value);
        case "icrc" -> icrc = OptionText.onOrOff(key, value);
        case "receive-buffer" -> receiveBufferBytes = OptionText.integer(key, value);
        case "memory" -> memoryBytes = OptionText.number(key, value);
        default -> {
          return false;
        }
      }
      return true;
    }

    public FabricOptions build() {
      return new FabricOptions(seed, icrc, receiveBufferBytes, memoryBytes, link);
    }
  }
}
