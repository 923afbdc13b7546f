package org.roce4j.conformance.remote;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The agreement between a tester and a target: lines of text over TCP, one connection for each
 * subject. Each line is answered by {@code ok ...} or {@code error ...} with the reason.
 * docs/conformance.md lists the lines.
 */
final class Agreement implements AutoCloseable {
  /** The first word of a connection, with the version of this agreement. */
  static final String GREETING = "roce4j-target-2";

  static final String OK = "ok";
  static final String ERROR = "error";
  static final String NONE = "none";

  private final Socket socket;
  private final BufferedReader reader;
  private final Writer writer;

  Agreement(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    reader =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    writer = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.US_ASCII);
  }

  /** The next line, or null at the end of the connection. */
  String read() throws IOException {
    return reader.readLine();
  }

  void write(String line) throws IOException {
    writer.write(line.replace('\n', ' ') + "\n");
    writer.flush();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
