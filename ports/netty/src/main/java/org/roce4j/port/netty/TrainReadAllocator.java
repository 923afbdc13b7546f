package org.roce4j.port.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Receive buffers of one size. Netty splits a train into datagrams without saying which belong
 * together. It requests a buffer before every system call, so this allocator knows where a train
 * begins and informs the socket.
 */
final class TrainReadAllocator extends DefaultMaxMessagesRecvByteBufAllocator {
  private static final int READS_PER_LOOP = 8;

  private final int size;
  private NettySocket socket;

  TrainReadAllocator(int size) {
    super(READS_PER_LOOP);
    this.size = size;
  }

  /** Sets the socket to inform. */
  void tell(NettySocket socket) {
    this.socket = socket;
  }

  @Override
  @SuppressWarnings("deprecation")
  public Handle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public int guess() {
        return size;
      }

      @Override
      public ByteBuf allocate(ByteBufAllocator allocator) {
        if (socket != null) {
          socket.readBegins();
        }
        return allocator.directBuffer(size);
      }
    };
  }
}
