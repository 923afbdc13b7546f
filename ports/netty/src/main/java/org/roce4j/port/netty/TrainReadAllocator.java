package org.roce4j.port.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Buffers of one size for receiving. Netty takes a train apart into datagrams and does not say
 * which belong together; as it asks for a buffer before every system call, this tells.
 */
final class TrainReadAllocator extends DefaultMaxMessagesRecvByteBufAllocator {
  private static final int READS_PER_LOOP = 8;

  private final int size;
  private NettySocket socket;

  TrainReadAllocator(int size) {
    super(READS_PER_LOOP);
    this.size = size;
  }

  /** Whom to tell. */
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
