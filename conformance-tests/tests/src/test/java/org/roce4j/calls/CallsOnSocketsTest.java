package org.roce4j.calls;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.UdpBackend;

/** The tables of bad calls, whose own classes play them on a virtual network, on UDP sockets. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class CallsOnSocketsTest {
  @Nested
  class BadAttributesOnLinux extends BadAttributesTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("linux"));
    }
  }

  @Nested
  class BadCallsOnLinux extends BadCallsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("linux"));
    }
  }

  @Nested
  class BadCallsOnNetty extends BadCallsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("netty"));
    }
  }

  @Nested
  class BadListsOnLinux extends BadListsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("linux"));
    }
  }

  @Nested
  class BadListsOnNetty extends BadListsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("netty"));
    }
  }

  @Nested
  class BadObjectsOnLinux extends BadObjectsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("linux"));
    }
  }

  @Nested
  class BadObjectsOnNetty extends BadObjectsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("netty"));
    }
  }

  @Nested
  class BadPostingsOnLinux extends BadPostingsTest {
    @Override
    Backend backend() {
      return new UdpBackend("linux");
    }
  }

  @Nested
  class BadPostingsOnNetty extends BadPostingsTest {
    @Override
    Backend backend() {
      return new UdpBackend("netty");
    }
  }

  @Nested
  class FlagWordsOnLinux extends FlagWordsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("linux"));
    }
  }
}
