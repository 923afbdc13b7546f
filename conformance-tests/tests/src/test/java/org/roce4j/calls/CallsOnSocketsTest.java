package org.roce4j.calls;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.calls.PlayedCalls.OnUdp;

/**
 * The tables of bad calls, whose own classes play them on a virtual network, on UDP sockets: four
 * of them on one transport each, and with {@code -Droce4j.calls=all} every one on every transport.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class CallsOnSocketsTest {
  @Nested
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
  @OnUdp("linux")
  class BadAttributesOnLinux extends BadAttributesTest {}

  @Nested
  @OnUdp("linux")
  class BadCallsOnLinux extends BadCallsTest {}

  @Nested
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
  @OnUdp("netty")
  class BadCallsOnNetty extends BadCallsTest {}

  @Nested
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
  @OnUdp("linux")
  class BadListsOnLinux extends BadListsTest {}

  @Nested
  @OnUdp("netty")
  class BadListsOnNetty extends BadListsTest {}

  @Nested
  @OnUdp("linux")
  class BadObjectsOnLinux extends BadObjectsTest {}

  @Nested
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
  @OnUdp("netty")
  class BadObjectsOnNetty extends BadObjectsTest {}

  @Nested
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
  @OnUdp("linux")
  class BadPostingsOnLinux extends BadPostingsTest {}

  @Nested
  @OnUdp("netty")
  class BadPostingsOnNetty extends BadPostingsTest {}

  @Nested
  @EnabledIfSystemProperty(named = "roce4j.calls", matches = "all")
  @OnUdp("linux")
  class FlagWordsOnLinux extends FlagWordsTest {}
}
