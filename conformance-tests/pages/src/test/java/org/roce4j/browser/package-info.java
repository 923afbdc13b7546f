/**
 * Tests of roce4j's pages in a real browser, the distribution's Chromium. An error that the browser
 * reports fails a test. Without Chromium these tests are skipped with a reason.
 */
package org.roce4j.browser;
