package org.roce4j.tools;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Runs the command in this process and keeps what it has printed so far. */
public abstract class CommandFixture {
  protected final StringWriter out = new StringWriter();
  protected final StringWriter err = new StringWriter();

  /** Runs {@link Roce4j#main} without the exit. */
  protected final int run(String... args) {
    return Roce4j.run(new PrintWriter(out, true), new PrintWriter(err, true), false, args);
  }

  /** Runs the command of this name. */
  protected final int command(String name, String... args) {
    return run(Stream.concat(Stream.of(name), Stream.of(args)).toArray(String[]::new));
  }

  /** Copies twelve packets of two soft-RoCE devices into this directory as {@code rc_send.pcap}. */
  protected static Path captureOfSoftRoce(Path directory) throws IOException {
    Path capture = directory.resolve("rc_send.pcap");
    try (InputStream in = CommandFixture.class.getResourceAsStream("/rc_send.pcap")) {
      Files.copy(in, capture);
    }
    return capture;
  }
}
