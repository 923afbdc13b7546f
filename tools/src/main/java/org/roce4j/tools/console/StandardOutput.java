package org.roce4j.tools.console;

import java.io.IOException;
import java.io.OutputStream;

/**
 * What a command prints to. The first byte that cannot be written ends the command with {@link
 * ToolFailure}: a full disk is told of, a reader that has gone ({@code | head}) is not. What is
 * written after that is dropped, so that the command can close what it holds.
 */
public final class StandardOutput extends OutputStream {
  private final OutputStream out;
  private volatile boolean lost;

  /** Writes there. */
  public StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** Whether something could not be written. */
  public boolean isLost() {
    return lost;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    if (!lost) {
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        throw lost(e);
      }
    }
  }

  @Override
  public void flush() {
    if (!lost) {
      try {
        out.flush();
      } catch (IOException e) {
        throw lost(e);
      }
    }
  }

  private ToolFailure lost(IOException e) {
    lost = true;
    String why = String.valueOf(e.getMessage());
    return why.contains("Broken pipe")
        ? ToolFailure.unheard(e)
        : ToolFailure.atRunTime("cannot write standard output: " + why, e);
  }
}
