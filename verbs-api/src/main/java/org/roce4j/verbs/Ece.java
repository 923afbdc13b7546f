package org.roce4j.verbs;

/**
 * Enhancements of a connection that a vendor's devices agree upon ({@code struct ibv_ece}).
 *
 * @param vendorId the vendor; 0: none
 * @param options the vendor's bits
 */
public record Ece(int vendorId, int options) {
  @Override
  public String toString() {
    return "vendor 0x%x, options 0x%x".formatted(vendorId, options);
  }
}
