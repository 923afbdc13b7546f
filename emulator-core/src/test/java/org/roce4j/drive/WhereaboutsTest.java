package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a virtual network learns of a thread. */
class WhereaboutsTest implements WaitingPlace {
  private final Whereabouts mine = Whereabouts.mine();

  @AfterEach
  void goBack() {
    mine.leave(null);
  }

  @Test
  void aWaitInsideAnotherHidesItUntilItsEnd() {
    WaitingPlace outer = mine.enter(WaitingPlace.SOCKETS);
    assertNull(outer);
    WaitingPlace before = mine.enter(this);
    assertSame(WaitingPlace.SOCKETS, before);
    assertSame(this, mine.place());
    mine.leave(before);
    assertSame(WaitingPlace.SOCKETS, mine.place());
    mine.leave(outer);
    assertNull(mine.place());
  }

  /** Nor is a thread on a network that it has polled. */
  @Test
  void theNetworkThatAThreadPolledLastIsNotItsPlace() {
    long polls = mine.polls();
    mine.polls(this);
    assertSame(this, mine.polled());
    assertNull(mine.place());
    assertNull(mine.enter(WaitingPlace.SOCKETS));
    assertSame(this, mine.polled());
    mine.leave(null);
    WaitingPlace another = new WaitingPlace() {};
    mine.enter(another);
    mine.polls(another);
    assertSame(another, mine.polled());
    mine.leave(null);
    assertEquals(polls + 2, mine.polls());
  }
}
