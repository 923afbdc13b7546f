package org.roce4j.verbs;

import java.lang.foreign.Arena;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.text.Wording;

/**
 * A chain of {@code struct ibv_recv_wr} in native memory, filled in place and posted as a whole.
 *
 * <p>{@link #add} claims the next request; setters fill the newest one. Nothing is allocated after
 * construction, the list may be posted again and again, and it may be changed as soon as the post
 * returns. Not thread-safe; setters throw {@link VerbsException} EINVAL while the list is empty.
 */
public final class RecvRequestList extends RequestList<RecvRequestList> {
  /**
   * Makes a list in memory of its own, which {@link #close} frees.
   *
   * @param capacity requests it can hold, 1 or more
   * @param maxSge scatter/gather elements of each request
   */
  public RecvRequestList(int capacity, int maxSge) {
    super(null, RecvWrLayout.SIZE, capacity, maxSge, 0);
  }

  /** Makes a list in memory of this arena, which alone decides when it is freed. */
  public RecvRequestList(Arena arena, int capacity, int maxSge) {
    super(RequiredArgument.check(arena, "arena"), RecvWrLayout.SIZE, capacity, maxSge, 0);
  }

  /** Such as {@code 1 of 16 receives: wr_id=7}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(Wording.of("%d of %d receives", size(), capacity()));
    for (int i = 0; i < size(); i++) {
      text.append(i == 0 ? ": " : ", ").append("wr_id=").append(wrIdAt(i));
    }
    return text.toString();
  }
}
