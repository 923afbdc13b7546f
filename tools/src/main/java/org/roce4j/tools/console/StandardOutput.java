package org.roce4j.tools.console;

import java.io.IOException;
import java.io.OutputStream;

/**
 * The standard output of a command. The first failed write ends the command with {@link
 * ToolFailure}; the failure is silent if the reader has gone ({@code | head}), and printed
 * otherwise, such as for a full disk. Later writes are dropped, so that the command can close its
 * resources.
 */
public final class StandardOutput extends OutputStream {
  private final OutputStream out;
  private volatile boolean lost;

  /** Writes to {@code out}. */
  public StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** Whether a write has failed. */
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
