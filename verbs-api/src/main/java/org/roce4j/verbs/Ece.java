package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * Enhancements of a connection that a vendor's devices agree upon ({@code struct ibv_ece}).
 *
 * @param vendorId the vendor; 0: none
 * @param options the vendor's bits
 */
public record Ece(int vendorId, int options) {
  @Override
  public String toString() {
    return Wording.of("vendor 0x%x, options 0x%x", vendorId, options);
  }
}
