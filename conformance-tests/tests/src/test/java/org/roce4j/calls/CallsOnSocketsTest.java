package org.roce4j.calls;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.UdpBackend;

/**
 * The tables of bad calls, whose own classes play them on a virtual network, on UDP sockets: four
 * of them on one transport each, and with {@code -Droce4j.calls=all} every one on every transport.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class CallsOnSocketsTest {
  @Nested
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
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
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
  class BadCallsOnNetty extends BadCallsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("netty"));
    }
  }

  @Nested
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
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
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
  class BadObjectsOnNetty extends BadObjectsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("netty"));
    }
  }

  @Nested
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
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
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
  class FlagWordsOnLinux extends FlagWordsTest {
    @Override
    LiveObjects live() {
      return new LiveObjects(new UdpBackend("linux"));
    }
  }
}
