/**
 * Pages that we write, in a real browser: the Chromium of the distribution. What it does not like
 * is a failure; without it these tests are skipped and say so.
 */
package org.roce4j.browser;
