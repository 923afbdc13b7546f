package org.roce4j.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.memory.Region;
import org.roce4j.engine.memory.RemoteRange;
import org.roce4j.engine.memory.Window;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MwType;

/** A memory window that one engine binds while another one serves requests that name it. */
public final class WindowStress {
  private static final long VA = 0x1000;

  private WindowStress() {}

  /** The key of a binding reaches the binding's region or nothing. */
  @JCStressTest
  @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "before it was bound anew")
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "the old key before it, the new one after")
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "while it was bound")
  @Outcome(id = "-1, 2", expect = ACCEPTABLE, desc = "after it was bound anew")
  @Outcome(expect = FORBIDDEN, desc = "one key reaches what the other was given for")
  @State
  public static class BoundAnew {
    private final KeyTable keys = new KeyTable(new SplittableRandom(1), 2, 1);
    private final Domain domain = new Domain();
    private final Region second = region(2);
    private final Window window = keys.allocate(domain, MwType.TYPE_1);
    private final int oldKey;
    private final int newKey;
    private final RemoteRange range = new RemoteRange(keys, new Accessor(domain));
    private final MemorySegment read = MemorySegment.ofArray(new long[1]);

    public BoundAnew() {
      bind(window.value() + 1, region(1));
      oldKey = window.value();
      newKey = oldKey & 0xffffff00 | oldKey + 1 & 0xff;
    }

    private Region region(long content) {
      return keys.register(
          domain,
          MemorySegment.ofArray(new long[] {content}),
          VA,
          AccessFlags.MW_BIND | AccessFlags.LOCAL_WRITE);
    }

    private void bind(int key, Region to) {
      window.bind(key, to, VA, 8, AccessFlags.REMOTE_READ, new Accessor(domain));
    }

    @Actor
    public void oneEngineBinds() {
      bind(newKey, second);
    }

    @Actor
    public void anotherServes(II_Result r) {
      r.r1 = contentBy(oldKey);
      r.r2 = contentBy(newKey);
    }

    private int contentBy(int key) {
      return range.set(key, VA, 8, AccessFlags.REMOTE_READ) && range.read(0, read, 0, 8)
          ? (int) read.get(ValueLayout.JAVA_LONG, 0)
          : -1;
    }
  }

  /** Two binds of one window are queued at the same time. */
  @JCStressTest
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "a key each")
  @Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "a key each")
  @Outcome(expect = FORBIDDEN, desc = "one key for both")
  @State
  public static class TwoQueued {
    private final Window window =
        new KeyTable(new SplittableRandom(1), 1, 1).allocate(new Domain(), MwType.TYPE_1);

    @Actor
    public void first(II_Result r) {
      r.r1 = window.nextKey() - window.value() & 0xff;
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = window.nextKey() - window.value() & 0xff;
    }
  }

  /** Nothing is written through a window after it was unbound. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "refused")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "written before the window was unbound")
  @Outcome(expect = FORBIDDEN, desc = "written after the window was unbound")
  @State
  public static class Unbound {
    private final KeyTable keys = new KeyTable(new SplittableRandom(1), 1, 1);
    private final Accessor binder;
    private final long[] content = new long[1];
    private final Window window;
    private final RemoteRange range;
    private final MemorySegment packet = MemorySegment.ofArray(new long[] {1});

    public Unbound() {
      Domain domain = new Domain();
      binder = new Accessor(domain);
      window = keys.allocate(domain, MwType.TYPE_1);
      Region region =
          keys.register(
              domain,
              MemorySegment.ofArray(content),
              VA,
              AccessFlags.MW_BIND | AccessFlags.LOCAL_WRITE);
      window.bind(1, region, VA, 8, AccessFlags.REMOTE_WRITE, binder);
      range = new RemoteRange(keys, new Accessor(domain));
      range.set(window.value(), VA, 8, AccessFlags.REMOTE_WRITE);
    }

    @Actor
    public void oneEngineUnbinds(II_Result r) {
      window.bind(2, null, 0, 0, 0, binder);
      r.r1 = (int) content[0];
    }

    @Actor
    public void anotherWrites() {
      range.write(0, packet, 0, 8);
    }

    @Arbiter
    public void later(II_Result r) {
      r.r2 = (int) content[0];
    }
  }
}
