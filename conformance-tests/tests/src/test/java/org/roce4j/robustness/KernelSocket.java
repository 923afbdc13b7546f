package org.roce4j.robustness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.roce4j.verbs.Gid;

/** A bound UDP socket in the kernel's own words, independent of tools and tests. */
record KernelSocket(Gid address, int port) {
  /** Datagrams that the kernel dropped because the socket's buffer was full. */
  long dropped() {
    byte[] bytes = address.toBytes();
    int first = address.isIpv4Mapped() ? 12 : 0;
    StringBuilder local = new StringBuilder();
    for (int at = first; at < bytes.length; at += 4) {
      int word = ByteBuffer.wrap(bytes, at, 4).order(ByteOrder.nativeOrder()).getInt();
      local.append(String.format(Locale.ROOT, "%08X", word));
    }
    String wanted = local + String.format(Locale.ROOT, ":%04X", port);
    Path table = Path.of(address.isIpv4Mapped() ? "/proc/net/udp" : "/proc/net/udp6");
    try {
      return Files.readAllLines(table).stream()
          .map(line -> line.strip().split("\\s+"))
          .filter(fields -> fields[1].equals(wanted))
          .mapToLong(fields -> Long.parseLong(fields[fields.length - 1]))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
