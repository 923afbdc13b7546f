package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.train;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.port.PortContract;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Gid;

class LinuxPortTest extends PortContract {

  /** Of a KiB each; the kernel doubles the size it is asked for. */
  private static final int MORE_THAN_A_BUFFER_HOLDS = 9000;

  @Override
  public PortProvider provider() {
    return new LinuxPortProvider();
  }

  @Override
  public void refuseTrains(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment on = arena.allocateFrom(Abi.INT, 1);
      assertEquals(
          0,
          Libc.setsockopt(Libc.errnoOf(arena), descriptor, Abi.SOL_SOCKET, Abi.SO_NO_CHECK, on, 4));
    }
  }

  private void send(Port from, int datagrams) {
    Path path = path(LEFT, RIGHT, 0, 64);
    Transmit train = train(from);
    for (int i = 0; i < datagrams; i++) {
      train.clear();
      add(train, path, 1024, i);
      from.send(train);
    }
  }

  private static int drain(Port port) {
    int all = 0;
    for (int taken = port.receive(in -> {}, 256); taken > 0; taken = port.receive(in -> {}, 256)) {
      all += taken;
    }
    return all;
  }

  /** The kernel counts the segments of a train in their identifications. */
  @Test
  void whatItPromisesIsOfItsSystem() {
    assertEquals(
        new PortCapabilities(
            "linux", true, 64, IdentificationRule.TRAIN_INDEX, true, true, true, true),
        open(options(LEFT)).capabilities());
  }

  @Test
  void aCallTakesNoMoreThanItsBudgetAndWhatOneSystemCallBrings() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    send(left, 100);
    int taken = right.receive(in -> {}, 10);
    assertTrue(taken >= 10 && taken < 10 + ReceiveBatch.SLOTS, () -> "taken: " + taken);
    assertEquals(100 - taken, drain(right));
  }

  /** The engine copies it as a whole; a single datagram is not worth it. */
  @Test
  void aTrainIsAnnouncedBeforeItsDatagrams() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    List<String> heard = new ArrayList<>();
    DatagramSink sink =
        new DatagramSink() {
          @Override
          public void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {
            heard.add("train from %d: %d of %d".formatted(at, segmentSize, length));
          }

          @Override
          public void datagram(Inbound inbound) {
            heard.add(inbound.length() + " at " + inbound.at());
          }
        };
    Path path = path(LEFT, RIGHT, 0, 64);
    Transmit train = train(left);
    for (int count : new int[] {1, 2}) {
      train.clear();
      for (int i = 0; i < count; i++) {
        add(train, path, 60, i);
      }
      left.send(train);
      right.receive(sink, 1);
    }
    assertEquals(List.of("60 at 0", "train from 0: 60 of 120", "60 at 0", "60 at 60"), heard);
  }

  /** The kernel tells with a datagram how many were dropped since the socket was made. */
  @Test
  void whatTheKernelDropsIsCountedOnce() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    int received = 0;
    for (int round = 1; round <= 3; round++) {
      send(left, MORE_THAN_A_BUFFER_HOLDS);
      received += drain(right);
    }
    send(left, 1); // tells of the last round
    received += drain(right);
    assertEquals(
        3 * MORE_THAN_A_BUFFER_HOLDS + 1 - received,
        right.counters().get(Counter.SOCKET_RECEIVE_DROPPED));
    assertTrue(received < 3 * MORE_THAN_A_BUFFER_HOLDS, "nothing was dropped");
  }

  /** The kernel counts dropped datagrams for each socket; the other one has lost none. */
  @Test
  void whatOneSocketDropsIsNotCountedForAnother() {
    Gid third = Gid.parse("127.0.0.3");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT, third));
    send(left, MORE_THAN_A_BUFFER_HOLDS);
    int received = drain(right);
    send(left, 1); // tells of what was dropped
    received += drain(right);
    Transmit train = train(left);
    for (int i = 0; i < 20; i++) {
      train.clear();
      add(train, path(LEFT, third, 0, 64), 60, i);
      left.send(train);
      send(left, 1);
      received += drain(right) - 1;
    }
    assertEquals(
        MORE_THAN_A_BUFFER_HOLDS + 21 - received,
        right.counters().get(Counter.SOCKET_RECEIVE_DROPPED));
  }

  /** A socket keeps its address for as long as the kernel waits for it, closed or not. */
  @Test
  void anAddressIsFreeWhenItsRemovalReturnsThoughAThreadWaits() throws InterruptedException {
    Gid fourth = Gid.parse("127.0.0.4");
    Port port = open(options(LEFT, THIRD));
    AtomicBoolean over = new AtomicBoolean();
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!over.get()) {
                    port.await(PATIENCE_NS);
                  }
                });
    try {
      for (int i = 0; i < 500; i++) {
        port.add(fourth);
        port.remove(THIRD);
        port.add(THIRD);
        port.remove(fourth);
      }
    } finally {
      over.set(true);
      port.wakeup();
      waiter.join();
    }
  }

  /** The kernel tells it of each thread; its default is 50 us. */
  @Test
  void aThreadThatWantsToBeWokenPunctuallyIs() throws IOException {
    String thread =
        Files.readSymbolicLink(java.nio.file.Path.of("/proc/thread-self")).getFileName().toString();
    java.nio.file.Path slack = java.nio.file.Path.of("/proc", thread, "timerslack_ns");
    assumeTrue(Files.isReadable(slack));
    Port port = open(options(LEFT));
    port.wakePunctually();
    assertEquals("1", Files.readString(slack).strip());
  }

  /** The kernel gives the number of a closed descriptor to the next file that is opened. */
  @Test
  void aClosedPortLeavesAloneTheFilesThatHaveItsDescriptors(@TempDir java.nio.file.Path directory)
      throws IOException {
    Port port = open(options(LEFT));
    port.await(1); // the wake-up of opening is over
    port.close();
    List<FileChannel> files = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      java.nio.file.Path file = Files.write(directory.resolve("file" + i), new byte[16]);
      files.add(FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }
    port.wakeup();
    port.await(PATIENCE_NS);
    for (FileChannel file : files) {
      assertEquals(0, file.position(), "read or written");
      file.close();
    }
  }

  /** An empty pipe is never ready. */
  @Test
  void aWaitAtAClosedPortEndsThoughOthersHaveItsDescriptors() throws IOException {
    Port port = open(options(LEFT));
    port.close();
    List<Pipe> pipes = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      pipes.add(Pipe.open());
    }
    long start = System.nanoTime();
    port.await(PATIENCE_NS);
    assertTrue(System.nanoTime() - start < PATIENCE_NS / 2, "await lasted to its limit");
    for (Pipe pipe : pipes) {
      pipe.source().close();
      pipe.sink().close();
    }
  }

  @Test
  void aWaitLastsItsSecondsToo() {
    Port port = open(options(LEFT));
    port.await(1); // the wake-up of opening is over
    long start = System.nanoTime();
    port.await(1_000_000_000);
    long lasted = System.nanoTime() - start;
    assertTrue(lasted > 900_000_000, () -> "lasted " + lasted + " ns");
  }
}
